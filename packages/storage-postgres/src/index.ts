export { movablePostgres } from './move/movable-postgres.ts';
export { postgresStorage } from './postgres-storage.ts';
export type { PostgresTransaction } from './postgres-storage.ts';
export { postgresSchema } from './database/stored-schema.ts';
export type { PostgresStorageOptions } from './database/options.ts';
export type { PostgresPool } from './database/pool.ts';
