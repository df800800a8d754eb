export { movablePostgres } from './move/movable-postgres.ts';
export { postgresStorage } from './postgres-storage.ts';
export type { PostgresTransaction } from './postgres-storage.ts';
export { postgresSchema } from './stored-schema.ts';
export type { PostgresStorageOptions } from './options.ts';
export type { PostgresPool } from './pool.ts';
