// Starts a Postgres, prints its port, and does nothing more until it is killed.
import { startPostgres } from '@trunkline/test-postgres/server';

const directory = process.env['POSTGRES_DIRECTORY'];
const server = await startPostgres({ fsync: false, ...(directory === undefined ? {} : { directory }) });
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
setInterval(() => undefined, 60_000);
