import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '@trunkline/core';
import { sqliteSchema, sqliteStorage } from '@trunkline/storage-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { LATEST_VERSION } from '../src/database/migrate.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('is 0 without a file, and none is created', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'none.db');
  expect(sqliteSchema({ path })).toEqual({ version: 0, latest: LATEST_VERSION });
  expect(readdirSync(folder)).toEqual([]);
});

it('is that of the last migration; a newer version, or one from before 0.1.0, is a clear error', async () => {
  const path = join(temporaryFolder(), 'one.db');
  const storage = sqliteStorage({ path });
  await storage.open({ newId: () => '', logger: silentLogger });
  await storage.close();
  expect(sqliteSchema({ path })).toEqual({ version: LATEST_VERSION, latest: LATEST_VERSION });
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  database.exec('PRAGMA user_version = 1000');
  expect(() => sqliteSchema({ path })).toThrow(
    `The database ${path} cannot be used: it was made by a newer version of Trunkline (schema 1000;`,
  );
  database.exec('PRAGMA user_version = 34');
  expect(() => sqliteSchema({ path })).toThrow(
    `The database ${path} cannot be used: it was made before Trunkline 0.1.0 (schema 34), and cannot be upgraded: `,
  );
});
