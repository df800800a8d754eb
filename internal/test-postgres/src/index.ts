export { startPostgres } from './postgres-server.ts';
export type { PostgresServer, PostgresServerOptions } from './postgres-server.ts';
export { sharedPostgres } from './shared-postgres.ts';
