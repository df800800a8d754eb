import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { aWorkspace } from '@trunkline/storage-contract/examples';
import { MOVE_MARK } from '@trunkline/storage-kit';
import { LATEST_VERSION, migrate, MIGRATIONS } from '../src/database/migrate.ts';
import { openStorage, temporarySchema } from './support/open-storage.ts';

it('the tables of a version stay as they are', () => {
  // For other tables, add a migration, or raise FIRST_SCHEMA_VERSION until 0.1.0 is published. Then put the new hash here.
  const statements = MIGRATIONS.join().replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
  const hash = createHash('sha256').update(statements).digest('hex').slice(0, 16);
  expect({ version: LATEST_VERSION, hash }).toEqual({ version: 114, hash: '0f34ba13ee028fc3' });
});

describe('a later version with another migration', () => {
  const migrations = [
    ...MIGRATIONS,
    "ALTER TABLE trunkline.workspaces ADD COLUMN colour text NOT NULL DEFAULT 'red'",
  ];

  async function firstDatabase() {
    const schema = await temporarySchema();
    const storage = await openStorage(schema);
    await storage.workspaces.insert(aWorkspace());
    await storage.close();
    const { pool, name } = schema;
    const all = async (sql: string): Promise<readonly unknown[]> =>
      (await pool.query(sql.replaceAll('trunkline.', `${name}.`))).rows;
    return { schema, all, target: { pool, schema: name, logger: silentLogger } };
  }

  const OWN_VERSIONS = MIGRATIONS.map((_, index, { length }) => ({
    version: LATEST_VERSION - length + 1 + index,
  }));
  const VERSIONS = 'SELECT version FROM trunkline.schema_versions ORDER BY version';

  it('applies it once to a database of this version, which keeps its rows and its id', async () => {
    const { schema, all, target } = await firstDatabase();
    const id = await migrate(target);
    expect(await migrate({ ...target, migrations })).toBe(id);
    expect(await migrate({ ...target, migrations })).toBe(id);
    expect(await all(VERSIONS)).toEqual([...OWN_VERSIONS, { version: LATEST_VERSION + 1 }]);
    expect(await all('SELECT colour FROM trunkline.workspaces')).toEqual([{ colour: 'red' }]);
    await expect(openStorage(schema)).rejects.toThrow(
      `it was made by a newer version of Trunkline (schema ${LATEST_VERSION + 1}; this one knows ${LATEST_VERSION}).`,
    );
  });

  it('does not change the database if the migration fails', async () => {
    const { all, target } = await firstDatabase();
    const failing = [
      ...MIGRATIONS,
      'DELETE FROM trunkline.workspaces; ALTER TABLE trunkline.nothing ADD COLUMN colour text',
    ];
    await expect(migrate({ ...target, migrations: failing })).rejects.toThrow('nothing" does not exist');
    expect(await all(VERSIONS)).toEqual(OWN_VERSIONS);
    expect(await all('SELECT FROM trunkline.workspaces')).toHaveLength(1);
  });

  it('does not continue a move that this version has begun', async () => {
    const { schema, all, target } = await firstDatabase();
    const mark = { role: 'source', id: '1', target: 'elsewhere', isComplete: false };
    await schema.pool.query(`INSERT INTO ${schema.name}.settings (name, value) VALUES ($1, $2)`, [
      MOVE_MARK,
      JSON.stringify(mark),
    ]);
    await migrate({ ...target, isMoving: true });
    await expect(migrate({ ...target, isMoving: true, migrations })).rejects.toThrow(
      'its move was begun by an earlier version of Trunkline',
    );
    expect(await all(VERSIONS)).toEqual(OWN_VERSIONS);
  });
});
