import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aWorkspace } from '@trunkline/storage-contract/examples';
import { MOVE_MARK } from '@trunkline/storage-kit';
import { builtProgram } from '@trunkline/test-support/built-program';
import { linesOf, startChild } from '@trunkline/test-support/start-child';
import { LATEST_VERSION, MIGRATIONS } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const OPEN = await builtProgram(new URL('support/programs/open.ts', import.meta.url));
const OPEN_AND_DIE = await builtProgram(new URL('support/programs/open-and-die.ts', import.meta.url));

it('several processes may open a new file concurrently', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const children = Array.from({ length: 8 }, () => startChild(OPEN, path));
  for (const child of children) expect((await child.lines.next()).value).toBe('ready');
  for (const child of children) child.go();
  const printed = (await Promise.all(children.map(linesOf))).flat();
  expect(printed).toHaveLength(8);
  expect(new Set(printed).size).toBe(1);
  expect(connectTo(path).prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

it('a process that dies in the middle of a migration leaves none of it', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  await startChild(OPEN_AND_DIE, path).ended;
  expect(connectTo(path).prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({
    tables: 0,
  });
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
});

it('the tables of a version stay as they are', () => {
  // For other tables, add a migration, or raise FIRST_SCHEMA_VERSION until 0.1.0 is published. Then put the new hash here.
  const statements = MIGRATIONS.join().replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
  const hash = createHash('sha256').update(statements).digest('hex').slice(0, 16);
  expect({ version: LATEST_VERSION, hash }).toEqual({ version: 114, hash: '9d715621b73c4cc8' });
});

describe('a later version with another migration', () => {
  const migrations = [...MIGRATIONS, "ALTER TABLE workspaces ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"];

  async function firstDatabase() {
    const path = join(temporaryDirectory(), 'test.db');
    const storage = await openStorage(path);
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    await storage.close();
    const get = (sql: string) => connectTo(path).prepare(sql).get();
    return { path, workspace, get };
  }

  it('applies it once to a database of this version, which keeps its rows', async () => {
    const { path, workspace, get } = await firstDatabase();
    openDatabase(path, { migrations }).close();
    expect(get('PRAGMA user_version')).toEqual({ user_version: LATEST_VERSION + 1 });
    expect(get('SELECT id, colour FROM workspaces')).toEqual({ id: workspace.id, colour: 'red' });
    await expect(openStorage(path)).rejects.toThrow(
      `it was made by a newer version of Trunkline (schema ${LATEST_VERSION + 1}; this one knows ${LATEST_VERSION}).`,
    );
  });

  it('makes a new database with both', () => {
    const database = openDatabase(':memory:', { migrations });
    expect(database.get('PRAGMA user_version')).toEqual({ user_version: LATEST_VERSION + 1 });
    expect(database.all('SELECT colour FROM workspaces')).toEqual([]);
    database.close();
  });

  it('does not change the database if the migration fails', async () => {
    const { path, workspace, get } = await firstDatabase();
    const failing = [...MIGRATIONS, 'DELETE FROM workspaces; ALTER TABLE tabula ADD COLUMN colour TEXT'];
    expect(() => openDatabase(path, { migrations: failing })).toThrow('no such table: tabula');
    expect(get('PRAGMA user_version')).toEqual({ user_version: LATEST_VERSION });
    expect(get('SELECT id FROM workspaces')).toEqual({ id: workspace.id });
  });

  it('does not continue a move that this version has begun', async () => {
    const { path, get } = await firstDatabase();
    connectTo(path)
      .prepare('INSERT INTO settings (name, value) VALUES (?, ?)')
      .run(MOVE_MARK, JSON.stringify({ role: 'source', id: '1', target: 'elsewhere', isComplete: false }));
    openDatabase(path, { isMoving: true }).close();
    expect(() => openDatabase(path, { isMoving: true, migrations })).toThrow(
      'its move was begun by an earlier version of Trunkline',
    );
    expect(get('PRAGMA user_version')).toEqual({ user_version: LATEST_VERSION });
  });
});
