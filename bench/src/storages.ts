import { join } from 'node:path';
import { createNewId } from '@trunkline/core/spi/storage';
import type { NewId, Storage, StorageContext } from '@trunkline/core/spi/storage';
import { nodeRuntime } from '@trunkline/core/node';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { postgresUrl, schemaOf } from './postgres.ts';

export type StorageFactory = (directory: string) => Storage;

export const STORAGES = {
  sqlite: (directory) => sqliteStorage({ path: join(directory, 'trunkline.db') }),
  postgres: (directory) =>
    postgresStorage({ connectionString: postgresUrl(), schema: schemaOf(directory) }) as Storage, // the benches pass no transactions
} as const satisfies Record<string, StorageFactory>;

export type StorageName = keyof typeof STORAGES;

/**
 * With pooled randomness, as in the service: otherwise, the ceiling would include system calls that the service avoids.
 */
export const newId: NewId = createNewId(nodeRuntime().random.bytes);

export const storageContext: StorageContext = {
  newId,
  logger: { debug() {}, info() {}, warn: console.warn, error: console.error },
};
