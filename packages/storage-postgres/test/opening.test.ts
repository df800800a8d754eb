import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aMessage, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { newDatabase } from '@trunkline/test-postgres';
import { builtProgram } from '@trunkline/test-support/built-program';
import { until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { startChild } from '@trunkline/test-support/start-child';
import { postgresStorage } from '../src/index.ts';
import type { PostgresStorageOptions } from '../src/index.ts';
import { LATEST_VERSION, MIGRATIONS } from '../src/database/migrate.ts';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';
import { storageContext } from './support/storage-context.ts';
import type { TestSchema } from './support/test-schema.ts';

const OPEN = await builtProgram(new URL('support/programs/open.ts', import.meta.url));

const PROCESSES = sized('OPENING_PROCESSES', { short: 5, long: 20 });

describe('a storage opens', () => {
  it('a new schema, and finds in it what it wrote', async () => {
    const schema = await temporarySchema();
    const workspace = aWorkspace();
    const first = await openStorage(schema);
    await first.workspaces.insert(workspace);
    await first.close();
    const second = await openStorage(schema);
    expect(await second.workspaces.find(workspace.id)).toEqual(workspace);
  });

  it('again after it was closed', async () => {
    const schema = await temporarySchema();
    const storage = await openStorage(schema);
    await expect(storage.open(storageContext)).rejects.toThrow(
      'The storage is already open: close it first, or create another one.',
    );
    await storage.close();
    await expect(storage.workspaces.find('ten_unknown')).rejects.toThrow('The storage is not open');
    await storage.open(storageContext);
    expect(await storage.setting('name', 'value')).toBe('value');
  });

  it.each(['Größe', `say "it's"`, 'trunkline.messages', '$1; DROP'])('a schema called %s', async (name) => {
    const schema = { ...(await temporarySchema()), name };
    onTestFinished(() => dropSchema(schema));
    const storage = await openStorage(schema);
    const { workspace, instance } = await storeInstance(storage);
    const message = aMessage(instance);
    await storage.messages.accept({ message, idempotency: null, backlogLimit: 5, trialLimit: null });
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    const { rows } = await schema.pool.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
    expect(rows).toHaveLength(1);
  });

  it('one that an administrator has created, without the right to create any', async () => {
    const schema = await temporarySchema();
    const role = `${schema.name}_role`;
    await schema.pool.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; CREATE SCHEMA ${schema.name} AUTHORIZATION ${role}`,
    );
    onTestFinished(async () => {
      await dropSchema(schema);
      await schema.pool.query(`DROP ROLE ${role}`);
    });
    const url = new URL(schema.url);
    [url.username, url.password] = [role, 'secret'];
    const storage = await openStorage(schema, { connectionString: url.href });
    expect(await storage.setting('name', 'value')).toBe('value');
    const elsewhere = postgresStorage({ connectionString: url.href, schema: `${schema.name}_other` });
    await expect(elsewhere.open(storageContext)).rejects.toThrow('permission denied for database');
  });

  it('through a pooler that keeps no statements and no listeners', async () => {
    const schema = await temporarySchema();
    const pool = new Pool({ connectionString: schema.url, max: 1 });
    onTestFinished(() => pool.end());
    const storage = await openStorage(schema, { pool, preparedStatements: false, notifications: false });
    await storeInstance(storage);
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([]);
  });

  it.each(['trunkline.schema_versions', 'pg_catalog.pg_settings'])(
    'for a role that may not wait for locks, while %s is locked',
    async (table) => {
      const { url } = await newDatabase();
      const pool = new Pool({ connectionString: url });
      onTestFinished(() => pool.end());
      await (await openStorage({ url, name: 'trunkline' })).close();
      const other = await pool.connect();
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      let isOver = false;
      const limited = new Pool({ connectionString: url, max: 2, options: '-c lock_timeout=1ms' });
      onTestFinished(() => limited.end());
      const opened = openStorage({ url, name: 'trunkline' }, { pool: limited }).finally(
        () => (isOver = true),
      );
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
      await until(
        'the storage waits',
        async () => isOver || (await other.query(waiting, [table])).rows.length > 0,
      );
      await other.query('COMMIT');
      other.release();
      expect(await (await opened).setting('name', 'value')).toBe('value');
    },
  );

  it(`a new schema in ${PROCESSES} processes concurrently, one of which creates the tables`, async () => {
    const schema = await temporarySchema();
    const children = Array.from({ length: PROCESSES }, () => startChild(OPEN, schema.url, schema.name));
    for (const { lines } of children) expect((await lines.next()).value).toBe('ready');
    for (const { go } of children) go();
    const values = await Promise.all(children.map(async ({ lines }) => (await lines.next()).value));
    await Promise.all(children.map(({ ended }) => ended));
    expect(new Set(values).size).toBe(1);
    const { rows } = await schema.pool.query<{ version: number }>(
      `SELECT version FROM ${schema.name}.schema_versions ORDER BY version`,
    );
    expect(rows).toHaveLength(MIGRATIONS.length);
    expect(rows.at(-1)).toEqual({ version: LATEST_VERSION });
  });
});

describe("the app's own pool", () => {
  it('stays open and unchanged', async () => {
    const schema = await temporarySchema();
    const pool = new Pool({ connectionString: schema.url, max: 3, options: '-c search_path=pg_catalog' });
    onTestFinished(() => pool.end());
    const listeners = pool.listenerCount('error');
    const storage = await openStorage(schema, { pool });
    await storeInstance(storage);
    await storage.close();
    expect(pool.listenerCount('error')).toBe(listeners);
    const settings = `SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout`;
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const client of clients) {
      expect((await client.query(settings)).rows).toEqual([{ path: 'pg_catalog', timeout: '0' }]);
      expect((await client.query('SELECT pg_listening_channels()')).rows).toEqual([]);
      client.release();
    }
  });

  it('may read its columns as the app likes', async () => {
    const schema = await temporarySchema();
    const types = { getTypeParser: () => () => 'as the app likes' };
    const pool = new Pool({ connectionString: schema.url, max: 3, types });
    onTestFinished(() => pool.end());
    const storage = await openStorage(schema, { pool });
    const { workspace, instance } = await storeInstance(storage);
    expect(await storage.instances.list(workspace.id)).toEqual([instance]);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 'as the app likes' }]);
  });

  it('may have every transaction serializable', async () => {
    const schema = await temporarySchema();
    const options = '-c default_transaction_isolation=serializable';
    const pool = new Pool({ connectionString: schema.url, max: 5, options });
    onTestFinished(() => pool.end());
    const storage = await openStorage(schema, { pool });
    const { workspace, instance } = await storeInstance(storage);
    const renamed = Array.from({ length: 20 }, (_, index) =>
      storage.instances.write({ instance: { ...instance, name: `${index}` }, event: null, lease: null }),
    );
    const kinds = (await Promise.all(renamed)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'written')).toHaveLength(1);
    expect(await storage.instances.find(workspace.id, instance.id)).toMatchObject({ version: 2 });
  });
});

describe('a storage refuses', () => {
  it('a schema that was made by a newer version, and writes nothing', async () => {
    const schema = await temporarySchema();
    await (await openStorage(schema)).close();
    await schema.pool.query(`INSERT INTO ${schema.name}.schema_versions (version) VALUES (1000)`);
    const before = await tablesOf(schema);
    const why =
      /^The PostgreSQL database cannot be used: it was made by a newer version of Trunkline \(schema 1000; this one knows \d+\)\. Run that version, or restore a backup from before its upgrade\.$/;
    await expect(openStorage(schema)).rejects.toThrow(why);
    expect(await tablesOf(schema)).toEqual(before);
  });

  it('a schema from before 0.1.0, and writes nothing', async () => {
    const schema = await temporarySchema();
    // Creates those parts of a schema from before 0.1.0 that a storage checks.
    await schema.pool.query(`
      CREATE SCHEMA ${schema.name};
      CREATE TABLE ${schema.name}.schema_versions (version integer PRIMARY KEY);
      INSERT INTO ${schema.name}.schema_versions SELECT generate_series(1, 30)`);
    await expect(openStorage(schema)).rejects.toThrow(
      'The PostgreSQL database cannot be used: it was made before Trunkline 0.1.0 (schema 30), and cannot be upgraded: ',
    );
    expect(await tablesOf(schema)).toEqual(['schema_versions']);
  });

  it('a schema that holds other tables, and writes nothing', async () => {
    const schema = await temporarySchema();
    await schema.pool.query(`CREATE SCHEMA ${schema.name}; CREATE TABLE ${schema.name}.diary (day date)`);
    const why = `the schema ${schema.name} holds something that is not Trunkline's.`;
    await expect(openStorage(schema)).rejects.toThrow(why);
    expect(await tablesOf(schema)).toEqual(['diary']);
  });

  it('a database that cannot hold every text', async () => {
    const ascii = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    const { url } = await newDatabase(ascii);
    const storage = postgresStorage({ connectionString: url });
    await expect(storage.open(storageContext)).rejects.toThrow('its encoding is SQL_ASCII');
  });

  it('a server that does not respond, without showing the password', async () => {
    const storage = postgresStorage({ connectionString: 'postgres://user:sesame@127.0.0.1:1/db' });
    const error: unknown = await storage.open(storageContext).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/^Error: The PostgreSQL database cannot be used: .*ECONNREFUSED/);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('sesame');
  });

  const connectionString = 'postgres://127.0.0.1/db';
  const pool = { connect() {}, on() {}, removeListener() {}, options: { max: 1 } };
  it.each<[options: unknown, why: string]>([
    [undefined, 'the options must be an object, and are undefined'],
    [
      { connectionstring: 'postgres://x' },
      'there is no option "connectionstring". Did you mean "connectionString"?',
    ],
    [{}, 'the option "connectionString" or "pool" is missing'],
    [{ connectionString: 'mysql://127.0.0.1' }, 'the option "connectionString" is wrong'],
    [{ connectionString: 5 }, 'the option "connectionString" is wrong'],
    [{ connectionString, pool }, 'the option "connectionString" is wrong: it must not be given with "pool"'],
    [{ pool: {} }, 'the option "pool" is wrong'],
    [{ pool }, 'the option "pool" is wrong: it has one connection'],
    [{ connectionString, schema: '' }, 'the option "schema" is wrong'],
    [{ connectionString, schema: 'ä'.repeat(32) }, 'the option "schema" is wrong'],
    [{ connectionString, schema: 'pg_catalog' }, 'the option "schema" is wrong'],
    [{ connectionString, schema: 'a\0' }, 'the option "schema" is wrong'],
    [{ connectionString, maxConnections: 1 }, 'the option "maxConnections" is wrong'],
    [{ connectionString, timeoutMs: 0 }, 'the option "timeoutMs" is wrong'],
    [{ connectionString, notifications: 'no' }, 'the option "notifications" is wrong'],
    [{ connectionString, preparedStatements: 1 }, 'the option "preparedStatements" is wrong'],
  ])('the options %j', (options, why) => {
    expect(() => postgresStorage(options as PostgresStorageOptions)).toThrow(`postgresStorage: ${why}`);
  });
});

it("the PostgreSQL storage returns the server's time", async () => {
  const schema = await temporarySchema();
  const storage = await openStorage(schema);
  const before = Date.now();
  const time = await storage.serverTime?.();
  expect(time).toBeGreaterThan(before - 60_000);
  expect(time).toBeGreaterThan(NOW - 1e12);
  expect(Number.isSafeInteger(time)).toBe(true);
});

async function tablesOf({ pool, name }: TestSchema): Promise<readonly string[]> {
  const sql = 'SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename';
  return (await pool.query<{ tablename: string }>(sql, [name])).rows.map(({ tablename }) => tablename);
}

async function dropSchema({ pool, name }: TestSchema): Promise<void> {
  await pool.query(`DROP SCHEMA IF EXISTS "${name.replaceAll('"', '""')}" CASCADE`);
}
