// Prints "N passed, N failed" from vitest's JSON report, given its path and whether the run "passed" or "failed", and
// exits 1 unless tests passed and none failed: the report and the exit code of the run have to agree.
// Used by .ci/run; runs on the machine's own Node.

import { readFileSync } from 'node:fs';

const [path, outcome] = process.argv.slice(2);
const { passed, failed } = summary();
console.log(`${passed} passed, ${failed} failed`);
if (passed === 0 || failed > 0) process.exitCode = 1;

function summary() {
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
  const isFailed = outcome !== 'passed' || report.success !== true;
  return { passed: report.numPassedTests, failed: isFailed ? Math.max(1, failures) : failures };
}
