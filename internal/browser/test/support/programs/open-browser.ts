// Starts a browser, prints its process id, and does nothing more.
import { launch } from '../../../src/launch.ts';

const browser = await launch();
process.stdout.write(`${browser.process().pid}\n`);
