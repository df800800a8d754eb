// Lists the failures in vitest's JSON reports, then prints "N passed, N failed". Arguments: "passed" if all runs exited
// with 0, else "failed", and the paths of the reports. Exits 1 unless all runs passed and each report has passed tests
// and no failures. Used by .ci/run; runs on the machine's own Node.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [outcome, ...paths] = process.argv.slice(2);
const counts = paths.map(countOf);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
for (const failure of counts.flatMap((count) => count.failures)) console.log(failure);
const isFailed = outcome !== 'passed' || counts.some((count) => count.passed === 0);
console.log(`${passed} passed, ${isFailed ? Math.max(1, failed) : failed} failed`);
if (isFailed || failed > 0) process.exitCode = 1;

function countOf(path) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, failures: [`${path}: no report`] };
  }
  const failures = report.testResults.flatMap(failuresOf);
  if (report.success !== true && failures.length === 0) {
    failures.push(`${path}: an error outside any test`); // such as an unhandled rejection
  }
  return { passed: report.numPassedTests, failed: failures.length, failures };
}

/** A file that could not be loaded counts as a failure, although it has no tests. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative('.', name);
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0 && status === 'failed') return [`${file}:\n${excerptOf([message])}`];
  return tests.map((test) => `${file} > ${test.fullName}:\n${excerptOf(test.failureMessages)}`);
}

/** Omits the stack frames of the test runner and of Node. */
function excerptOf(messages) {
  const lines = messages.join('\n').split('\n');
  const own = lines.filter((line) => !/^\s+at .*(?:node_modules|node:)/.test(line)).slice(0, 8);
  return own.map((line) => `    ${line.slice(0, 200)}`).join('\n');
}
