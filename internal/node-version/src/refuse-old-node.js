import { nodeVersionProblem } from './node-version.js';

const problem = nodeVersionProblem(globalThis);
if (problem !== undefined) throw new Error(problem);
