// Makes the directory of a run, prints its path, and does nothing more until it is killed.
import { makeRunDirectory } from '../../../src/run-directory.ts';

const { path } = await makeRunDirectory();
process.stdout.write(`${JSON.stringify({ path })}\n`);
setInterval(() => undefined, 60_000);
