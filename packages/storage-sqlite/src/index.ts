export { databaseFile } from './database/database-file.ts';
export { movableSqlite } from './move/movable-sqlite.ts';
export { sqliteSchema } from './database/stored-schema.ts';
export { sqliteStorage } from './sqlite-storage.ts';
export type { SqliteStorageOptions } from './sqlite-storage.ts';
