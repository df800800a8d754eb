// The server as a program of one's own: docs/running.md has the variables. `serve` starts one and leaves the process alone.
import { runServer } from 'trunkline';

await runServer({ environment: process.env });
