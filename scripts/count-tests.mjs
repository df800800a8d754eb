// Prints "N passed, N failed" from vitest's JSON report, given its path and whether the run "passed" or "failed".
// Used by .ci/run; runs on the machine's own Node.

import { readFileSync } from 'node:fs';

const [path, outcome] = process.argv.slice(2);
console.log(summary());

function summary() {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return '0 passed, 1 failed'; // vitest did not get as far as a report
  }
  // A file that could not be loaded has no tests to count, and is a failure all the same.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = report.numFailedTests + broken.length;
  // An error outside any test (an unhandled rejection) fails the run and no test.
  const outside = outcome === 'failed' && failures === 0 ? 1 : 0;
  return `${report.numPassedTests} passed, ${failures + outside} failed`;
}
