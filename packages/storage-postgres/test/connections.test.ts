import { setImmediate } from 'node:timers/promises';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUnavailable } from '@trunkline/core/spi/storage';
import { aMessage, aWorkspace } from '@trunkline/storage-contract/examples';
import { QUEUE_FAILURE } from '@trunkline/storage-contract/fixtures';
import { elapsing, eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { postgresStorage } from '../src/index.ts';
import { keptSchemas, openStorage, storeInstance } from './support/open-storage.ts';
import { endConnections, openNamed, waitingFor } from './support/named-storage.ts';
import { askingServer, farewellServer, refusingServer } from './support/farewell-server.ts';
import { stallingProxy } from './support/stalling-proxy.ts';
import { storageContext } from './support/storage-context.ts';

const keptSchema = keptSchemas();

it('a database that the server does not have is refused, and not called unresponsive', async () => {
  const { url } = await keptSchema();
  const missing = new URL(url);
  missing.pathname = '/missing';
  const storage = postgresStorage({ connectionString: missing.href });
  await expect(storage.open(storageContext)).rejects.toThrow(
    /Postgres refused the connection: database "missing" does not exist\. Create the database, or correct its name/,
  );
});

describe('a server that responds, but opens no connection, is not called unresponsive', () => {
  const REFUSALS: readonly (readonly [string, string, string])[] = [
    [
      '28P01',
      'wrong password',
      'refused the connection: wrong password. Check the user name and the password',
    ],
    ['28000', 'no pg_hba.conf entry', 'refused the connection: no pg_hba.conf entry. Check the user name'],
    ['3D000', 'no such database', 'refused the connection: no such database. Create the database'],
    ['08P01', 'no such user', 'The connection to the PostgreSQL server failed'],
    ['53300', 'too many clients', 'The PostgreSQL server has no connection left'],
    ['57P03', 'starting up', 'The PostgreSQL server is ending or starting'],
    [
      '42501',
      'permission denied',
      'refused the connection: permission denied. Check DATABASE_URL and the log',
    ],
  ];

  it.each(isLongForm ? REFUSALS : REFUSALS.slice(0, 2))('%s: %s', async (code, message, why) => {
    const server = await refusingServer(code, message);
    const storage = postgresStorage({ connectionString: server.url });
    await expect(storage.open(storageContext)).rejects.toThrow(why);
  });

  it.runIf(isLongForm)('TLS that it does not have', async () => {
    const { url } = await keptSchema();
    const storage = postgresStorage({ connectionString: `${url}?sslmode=require` });
    await expect(storage.open(storageContext)).rejects.toThrow(
      'refused the connection: The server does not support SSL connections. Check DATABASE_URL',
    );
  });

  it('a password that the URL lacks', async () => {
    const server = await askingServer();
    const storage = postgresStorage({ connectionString: server.url });
    await expect(storage.open(storageContext)).rejects.toThrow(
      /refused the connection: SASL.*password.*DATABASE_URL/,
    );
  });
});

describe('when PostgreSQL ends connections', () => {
  it.each(isLongForm ? ['of its own', 'of the app'] : ['of its own'])(
    'while a pool %s makes them, the call rejects and the process continues',
    async (whose) => {
      const server = await farewellServer();
      const pool = new Pool({ connectionString: server.url });
      const storage = postgresStorage(whose === 'of the app' ? { pool } : { connectionString: server.url });
      await expect(storage.open(storageContext)).rejects.toThrow('Postgres does not respond');
      expect(server.count()).toBeGreaterThan(0);
    },
  );

  it('while they are idle, the next call takes new ones', async () => {
    const schema = await keptSchema();
    const { storage, name } = await openNamed(schema);
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    expect(await endConnections(schema, name)).toBeGreaterThan(0);
    await eventually(async () => {
      expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
    });
  });

  it('during a transaction, the call rejects and nothing of it is written', async () => {
    const schema = await keptSchema();
    const { storage, name } = await openNamed(schema);
    const { workspace, instance } = await storeInstance(storage);
    const message = aMessage(instance);
    await storage.messages.accept({ message, idempotency: null, backlogLimit: 5, trialLimit: null });
    // Makes the write wait between two statements of its transaction, after the instance was written.
    const lock = await schema.pool.connect();
    await lock.query('BEGIN');
    await lock.query(`LOCK TABLE ${schema.name}.queued_messages IN ACCESS EXCLUSIVE MODE`);
    const write = storage.instances.write({
      instance: { ...instance, name: 'New' },
      event: null,
      lease: null,
      failQueued: QUEUE_FAILURE,
    });
    const outcome = expect(write).rejects.toThrow('The PostgreSQL server is ending');
    await eventually(async () => expect(await waitingFor(schema, name)).toBe(1));
    await endConnections(schema, name);
    await outcome;
    await lock.query('ROLLBACK');
    lock.release();
    // The idle connections were terminated, too, and the pool may not have noticed yet.
    await eventually(async () => {
      expect(await storage.instances.find(workspace.id, instance.id)).toEqual(instance);
      expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    });
  });

  it.runIf(isLongForm)(
    'while messages are accepted, confirmed ones are stored, and more are accepted',
    async () => {
      const schema = await keptSchema();
      const { storage, name } = await openNamed(schema);
      const { workspace, instance } = await storeInstance(storage);
      const responded: string[] = [];
      let isOver = false;
      onTestFinished(() => void (isOver = true));
      const another20 = async (): Promise<void> => {
        const enough = responded.length + 20;
        while (responded.length < enough) await setImmediate();
      };
      const callers = Array.from({ length: 20 }, async () => {
        while (!isOver) {
          const message = aMessage(instance);
          const acceptance = { message, idempotency: null, backlogLimit: 1e6, trialLimit: null };
          const result = await storage.messages.accept(acceptance).catch(() => null);
          if (result) responded.push(message.id);
        }
      });
      for (let cut = 0; cut < 5; cut += 1) {
        await another20();
        await endConnections(schema, name);
      }
      await another20();
      isOver = true;
      await Promise.all(callers);
      for (const id of responded) expect(await storage.messages.find(workspace.id, id), id).not.toBeNull();
      const { rows } = await schema.pool.query(
        `SELECT length = (SELECT count(*) FROM ${schema.name}.queued_messages) AS counted FROM ${schema.name}.queues`,
      );
      expect(rows).toEqual([{ counted: true }]);
    },
  );
});

describe('when a connection to PostgreSQL no longer responds', () => {
  it('a call rejects after its time, and the next one takes another', async () => {
    const schema = await keptSchema();
    const proxy = await stallingProxy(schema.url);
    const storage = await openStorage(schema, { connectionString: proxy.url, timeoutMs: elapsing(10_000) });
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    proxy.stall();
    const outcome = expect(storage.workspaces.find(workspace.id)).rejects;
    await outcome.toSatisfy(isUnavailable);
    await expect(storage.workspaces.find(workspace.id)).resolves.toEqual(workspace);
  });
});

describe('a database that cannot serve now', () => {
  const CLOSED = 0;
  const KEPT = 1;
  it.each([
    ['its server ends', '57P01', 'is ending or starting', CLOSED],
    ['its disk is full', '53100', 'disk of the PostgreSQL server is full', KEPT],
    ['it has no connection left', '53300', 'no connection left', KEPT],
    ['a statement took too long', '57014', 'in time', KEPT],
    ['it is a replica', '25006', 'read-only', CLOSED],
    ['it refuses what only a primary supports', '0A000', 'as a replica does', CLOSED],
    ['the way to it is interrupted', '08006', 'connection to the PostgreSQL server failed', CLOSED],
    ['a transaction took too long', '25P04', 'its transaction took too long', CLOSED],
    ['somebody else keeps a row locked', '55P03', 'stayed locked', KEPT],
    ['its files cannot be used', '58030', 'cannot use its files', KEPT],
  ])('reports that %s, and closes the connection if that is to blame', async (_, state, words, left) => {
    const schema = await keptSchema();
    const pool = new Pool({ connectionString: schema.url, max: 1 });
    onTestFinished(() => pool.end());
    const storage = await openStorage(schema, { pool, notifications: false });
    const { name } = schema;
    await schema.pool.query(
      `CREATE FUNCTION ${name}.fail() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$`,
    );
    onTestFinished(async () => void (await schema.pool.query(`DROP FUNCTION ${name}.fail CASCADE`)));
    await schema.pool.query(
      `CREATE TRIGGER fail BEFORE INSERT ON ${name}.workspaces EXECUTE FUNCTION ${name}.fail()`,
    );
    const failure: unknown = await storage.workspaces.insert(aWorkspace()).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain(words);
    expect(pool.totalCount).toBe(left);
  });

  it('reports that its server ends in any language of the server', async () => {
    const schema = await keptSchema();
    const pool = new Pool({ connectionString: schema.url, max: 1, application_name: schema.name });
    onTestFinished(() => pool.end());
    translateSeverity(pool, 'ВАЖНО');
    const storage = await openStorage(schema, { pool, notifications: false });
    const blocking = await schema.pool.connect();
    await blocking.query('BEGIN');
    await blocking.query(`LOCK TABLE ${schema.name}.workspaces IN ACCESS EXCLUSIVE MODE`);
    const outcome = storage.workspaces.insert(aWorkspace()).catch((error: unknown) => error);
    await eventually(async () => expect(await waitingFor(schema, schema.name)).toBe(1));
    await endConnections(schema, schema.name);
    const failure = await outcome;
    await blocking.query('ROLLBACK');
    blocking.release();
    expect(failure).toMatchObject({ name: 'ConnectionError', cause: { code: '57P01', severity: 'ВАЖНО' } });
    expect(isUnavailable(failure)).toBe(true);
  });

  it.runIf(isLongForm)('reports that it was emptied, and serves again when its tables are back', async () => {
    const schema = await keptSchema();
    const storage = await openStorage(schema);
    const { workspace, instance } = await storeInstance(storage);
    const message = aMessage(instance);
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      read: () => storage.workspaces.find(workspace.id),
      write: () => storage.workspaces.insert(aWorkspace()),
      accept: () =>
        storage.messages.accept({ message, idempotency: null, backlogLimit: 5, trialLimit: null }),
      probe: () => storage.replaceSetting('readiness', 'asked'),
    };
    await schema.pool.query(`ALTER SCHEMA ${schema.name} RENAME TO ${schema.name}_away`);
    for (const [name, call] of Object.entries(calls)) {
      const failure: unknown = await call().catch((error: unknown) => error);
      expect(isUnavailable(failure), name).toBe(true);
      expect(String(failure), name).toContain("Trunkline's tables are gone from the PostgreSQL database");
    }
    await schema.pool.query(`ALTER SCHEMA ${schema.name}_away RENAME TO ${schema.name}`);
    for (const call of Object.values(calls)) await call();
    expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
  });

  it('is not confused with a value that is wrong', async () => {
    const storage = await openStorage(await keptSchema());
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    const failure: unknown = await storage.workspaces.insert(workspace).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isUnavailable(failure)).toBe(false);
  });

  it.runIf(isLongForm)(
    'is not confused with such a value if the server writes its errors in another language',
    async () => {
      const schema = await keptSchema();
      const pool = new Pool({ connectionString: schema.url, max: 2 });
      onTestFinished(() => pool.end());
      translateSeverity(pool, 'FEHLER');
      const storage = await openStorage(schema, { pool, notifications: false });
      const workspace = aWorkspace();
      await storage.workspaces.insert(workspace);
      const failure: unknown = await storage.workspaces.insert(workspace).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: '23505' });
      expect(isUnavailable(failure)).toBe(false);
    },
  );

  it('reports that no server listens', async () => {
    const storage = postgresStorage({ connectionString: 'postgres://127.0.0.1:1/nobody' });
    await expect(storage.open(storageContext)).rejects.toSatisfy((error: Error) =>
      isUnavailable(error.cause),
    );
  });
});

describe('a call that fails', () => {
  it('leaves no transaction open, and its connection to others', async () => {
    const schema = await keptSchema();
    const pool = new Pool({ connectionString: schema.url, max: 2, application_name: schema.name });
    onTestFinished(() => pool.end());
    const newId = (): never => {
      throw new Error('A bug.');
    };
    const options = { pool, notifications: false };
    const storage = await openStorage(schema, options, { ...storageContext, newId });
    const { instance } = await storeInstance(storage);
    const message = aMessage(instance);
    await storage.messages.accept({ message, idempotency: null, backlogLimit: 5, trialLimit: null });
    const failing = Array.from({ length: 10 }, () =>
      storage.instances.write({
        instance,
        event: null,
        lease: null,
        failQueued: QUEUE_FAILURE,
      }),
    );
    for (const result of await Promise.allSettled(failing)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'A bug.' } });
    }
    expect([pool.idleCount, pool.totalCount, pool.waitingCount]).toEqual([2, 2, 0]);
    const { rows } = await schema.pool.query(
      "SELECT state FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'",
      [schema.name],
    );
    expect(rows).toEqual([]);
  });

  it('is tried again if concurrent transactions are the cause', async () => {
    const schema = await keptSchema();
    const storage = await openStorage(schema);
    const { workspace, instance } = await storeInstance(storage);
    // Locks the two rows in the opposite order to the write, so that the two transactions deadlock and one must yield.
    const other = await schema.pool.connect();
    await other.query("SET deadlock_timeout = '60s'");
    await other.query('BEGIN');
    await other.query(`SELECT 1 FROM ${schema.name}.queues FOR UPDATE`);
    // The instance stops accepting messages, so the write also changes the instance's queue.
    const write = storage.instances.write({
      instance: { ...instance, status: 'logged_out' },
      event: null,
      lease: null,
    });
    await eventually(async () => {
      const sql =
        'SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()';
      expect((await other.query<{ waiting: number }>(sql)).rows[0]?.waiting).toBeGreaterThan(0);
    });
    await other.query(`SELECT 1 FROM ${schema.name}.instances FOR UPDATE`);
    await other.query('COMMIT');
    other.release();
    expect(await write).toMatchObject({ kind: 'written', instance: { version: 2 } });
    expect(await storage.instances.find(workspace.id, instance.id)).toMatchObject({ status: 'logged_out' });
  });
});

/** Gives the errors of statements the severity that a server with another `lc_messages` sends. */
function translateSeverity(pool: Pool, severity: string): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: object) => Promise<unknown>; // as the storage calls it
    Reflect.set(client, 'query', async (statement: object) =>
      query(statement).catch((error: unknown) => {
        throw Object.assign(Object(error), { severity });
      }),
    );
  });
}
