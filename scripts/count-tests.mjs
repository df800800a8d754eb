// Prints "N passed, N failed" from vitest's JSON reports, given whether the runs "passed" or one "failed" and the paths of
// the reports. Exits 1 unless tests passed and none failed in each: reports and exit codes have to agree.
// Used by .ci/run; runs on the machine's own Node.

import { readFileSync } from 'node:fs';

const [outcome, ...paths] = process.argv.slice(2);
const counts = paths.map(countOf);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
const isFailed = outcome !== 'passed' || counts.some((count) => count.passed === 0);
console.log(`${passed} passed, ${isFailed ? Math.max(1, failed) : failed} failed`);
if (isFailed || failed > 0) process.exitCode = 1;

function countOf(path) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 }; // vitest did not get as far as a report
  }
  // A file that could not be loaded has no tests to count, and is a failure all the same.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = report.numFailedTests + broken.length;
  // An error outside any test (an unhandled rejection) fails the run and no test.
  return {
    passed: report.numPassedTests,
    failed: report.success === true ? failures : Math.max(1, failures),
  };
}
