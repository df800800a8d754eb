import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { builtProgram } from '@trunkline/test-support/built-program';
import { describeStorageContract, startHolding } from '@trunkline/storage-contract';
import { isLongForm } from '@trunkline/test-support/long-form';
import { sqliteStorage } from '../src/index.ts';
import { storageContext } from './support/storage-context.ts';
import { makeDirectory, removeDirectory } from './support/temporary-directory.ts';

const HOLDING = pathToFileURL(
  await builtProgram(new URL('support/programs/hold-everything.ts', import.meta.url)),
);
const directory = makeDirectory();
const template = join(directory, 'template.db');

// The schema is created once, and copied for each test.
beforeAll(async () => {
  const storage = sqliteStorage({ path: template });
  await storage.open(storageContext);
  await storage.close();
});
afterAll(() => removeDirectory(directory));

describeStorageContract({
  name: 'sqlite',
  randomRuns: isLongForm ? 40 : 3,
  cases: isLongForm ? 'all' : 'selection',
  capabilities: { reopen: true, shared: true, processes: true, transactions: true, damage: true },
  async createDatabase() {
    const own = makeDirectory();
    const path = join(own, 'test.db');
    copyFileSync(template, path);
    return {
      connect: () => sqliteStorage({ path }),
      startHolding: () => startHolding(HOLDING, path),
      async beginTransaction() {
        const handle = new DatabaseSync(path);
        handle.exec('BEGIN IMMEDIATE');
        const end = async (how: string) => {
          if (!handle.isOpen) return;
          handle.exec(how);
          handle.close();
        };
        return { handle, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
      },
      async deleteEvent(id) {
        const handle = new DatabaseSync(path);
        handle.prepare('DELETE FROM events WHERE id = ?').run(id);
        handle.close();
      },
      async deleteEndpoint(id) {
        const handle = new DatabaseSync(path);
        handle.prepare('DELETE FROM endpoints WHERE id = ?').run(id);
        handle.close();
      },
      dispose: async () => removeDirectory(own),
    };
  },
});
