// The server as a program of one's own: docs/running.md has the variables. `serve` starts only a server.
import { runServer } from 'trunkline';

await runServer({ environment: process.env });
