// Starts the server. JavaScript, so that a Node that cannot read TypeScript still says which version is needed.
import { nodeVersionProblem } from '@trunkline/node-version';

const problem = nodeVersionProblem(globalThis);
if (problem === undefined) {
  await import('./src/main.ts');
} else {
  console.error(`trunkline: ${problem}`);
  process.exitCode = 1;
}
