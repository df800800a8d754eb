// The server as part of your own program: docs/running.md has the variables. `serve` starts only a server.
import { runServer } from 'trunkline';

await runServer({ environment: process.env });
