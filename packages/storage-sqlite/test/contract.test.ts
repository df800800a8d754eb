import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeStorageContract } from '@trunkline/storage-contract';
import { sqliteStorage } from '../src/index.ts';
import { storageContext } from './support/storage-context.ts';
import { makeDirectory, removeDirectory } from './support/temporary-directory.ts';

const directory = makeDirectory();
const template = join(directory, 'template.db');

// The schema is made once, and copied for each test.
beforeAll(async () => {
  const storage = sqliteStorage({ path: template });
  await storage.open(storageContext);
  await storage.close();
});
afterAll(() => removeDirectory(directory));

describeStorageContract({
  name: 'sqlite',
  capabilities: { reopen: true, shared: true },
  async createDatabase() {
    const own = makeDirectory();
    const path = join(own, 'test.db');
    copyFileSync(template, path);
    return {
      connect: () => sqliteStorage({ path }),
      dispose: async () => removeDirectory(own),
    };
  },
});
