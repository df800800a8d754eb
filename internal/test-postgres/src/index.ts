export { newDatabase } from './new-database.ts';
export type { TestDatabase } from './new-database.ts';
export { startPostgres } from './postgres-server.ts';
export type { PostgresServer, PostgresServerOptions } from './postgres-server.ts';
export { sharedPostgres } from './shared-postgres.ts';
