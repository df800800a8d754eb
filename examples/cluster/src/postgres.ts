import { startPostgres } from '@trunkline/test-postgres/server';

const LOOK_EVERY_MS = 2_000;

// A Postgres from npm, for experiments. The cluster has chosen its directory and port.
const server = await startPostgres({
  directory: process.env['POSTGRES_DIRECTORY'] ?? '',
  port: Number(process.env['POSTGRES_PORT']),
});
console.log(`Postgres is at ${server.url}`);

setInterval(() => {
  if (server.pid() !== undefined) return;
  console.error('Postgres has ended, and so does this process: the cluster starts both again.');
  process.exit(1);
}, LOOK_EVERY_MS);

const end = (): void => void server.stop().finally(() => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
// The parent process is gone.
process.on('disconnect', end);
