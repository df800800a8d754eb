// Starts the server. In JavaScript, so that a Node without support for TypeScript can still say which version is
// needed.
import { nodeVersionProblem } from '@trunkline/node-version';

const problem = nodeVersionProblem(globalThis);
if (problem === undefined) {
  await import('./src/main.ts');
} else {
  console.error(`trunkline: ${problem}`);
  process.exitCode = 1;
}
