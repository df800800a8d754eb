import { afterAll, onTestFinished } from 'vitest';
import type { Instance, Storage, StorageContext, Workspace } from '@trunkline/core/spi/storage';
import { anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { postgresStorage } from '../../src/index.ts';
import type { PostgresStorageOptions, PostgresTransaction } from '../../src/index.ts';
import { storageContext } from './storage-context.ts';
import { nameSchema } from './test-schema.ts';
import type { TestSchema } from './test-schema.ts';

export async function temporarySchema(): Promise<TestSchema> {
  const schema = await nameSchema();
  onTestFinished(() => schema.drop());
  return schema;
}

/**
 * Returns a function that gives a test a schema which earlier tests of the file may have used and emptied, because
 * making a schema costs more than most tests do. To be called at the top of a file.
 */
export function keptSchemas(): () => Promise<TestSchema> {
  const all: TestSchema[] = [];
  const free: TestSchema[] = [];
  afterAll(async () => void (await Promise.all(all.map((schema) => schema.drop()))));
  return async () => {
    const kept = free.pop();
    const schema = kept ?? (await nameSchema());
    if (!kept) all.push(schema);
    onTestFinished(async () => {
      await schema.empty();
      free.push(schema);
    });
    return schema;
  };
}

/** Opens a storage on the schema, by default with its own pool. Closes it when the running test ends. */
export async function openStorage(
  schema: Pick<TestSchema, 'url' | 'name'>,
  options: Partial<PostgresStorageOptions> = {},
  context: StorageContext = storageContext,
): Promise<Storage<PostgresTransaction>> {
  const own = options.pool ? {} : { connectionString: schema.url, maxConnections: 4 };
  const storage = postgresStorage({ schema: schema.name, ...own, ...options } as PostgresStorageOptions); // of either kind
  await storage.open(context);
  onTestFinished(() => storage.close());
  return storage;
}

export async function storeInstance(
  storage: Storage<PostgresTransaction>,
): Promise<{ readonly workspace: Workspace; readonly instance: Instance }> {
  const workspace = aWorkspace();
  const instance = anInstance(workspace);
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(instance, null);
  return { workspace, instance };
}
