import { Client, Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { idToUuid, uuidToId } from '@trunkline/core/spi/storage';
import type { Instance, Message, Signal, Storage, Workspace } from '@trunkline/core/spi/storage';
import { aMessage, anIdempotencyRecord, anInstance } from '@trunkline/storage-contract/examples';
import { newDatabase } from '@trunkline/test-postgres';
import { elapsing, eventually, must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import type { PostgresTransaction } from '../src/index.ts';
import { keptSchemas, openStorage, storeInstance } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

const keptSchema = keptSchemas();

describe('a message that is accepted in a transaction of the app’s', () => {
  it.each([
    ['COMMIT', 1],
    ['ROLLBACK', 0],
  ])('exists after %s as often as the rows that the app wrote', async (end, count) => {
    const { storage, schema, instance, app } = await fixture();
    const message = aMessage(instance);
    await app.query('BEGIN');
    await app.query(`INSERT INTO ${schema.name}.orders VALUES (1)`);
    expect(await accept(storage, message, app)).toEqual({ kind: 'accepted' });
    await app.query(end);
    expect(await countOf(schema, 'orders')).toBe(count);
    expect(await countOf(schema, 'messages')).toBe(count);
    expect((await storage.messages.queueHeads([instance.id], message.createdAt)).length).toBe(count);
  });

  it.runIf(isLongForm)('is gone with the app’s connection', async () => {
    const { storage, schema, workspace, instance, app } = await fixture();
    const message = aMessage(instance);
    app.on('error', () => undefined);
    await app.query('BEGIN');
    await accept(storage, message, app);
    await schema.pool.query('SELECT pg_terminate_backend($1)', [await pidOf(app)]);
    expect(await accept(storage, aMessage(instance))).toEqual({ kind: 'accepted' });
    expect(await storage.messages.find(workspace.id, message.id)).toBeNull();
  });

  it('is announced, here and in other processes, when it commits and not before', async () => {
    const { storage, schema, instance, app } = await fixture();
    const other = await openStorage(schema);
    const [here, there] = [signalsOf(storage), signalsOf(other)];
    await app.query('BEGIN');
    await accept(storage, aMessage(instance), app);
    await accept(storage, aMessage(instance), app);
    // A signal that was sent before this marker would arrive before the marker.
    const marker = anInstance({ ...(await storeInstance(storage)).workspace });
    await storage.instances.insert(marker, null);
    for (const signals of [here, there]) {
      await eventually(() => expect(signals).toContainEqual({ topic: 'instance', instanceId: marker.id }));
      expect(signals).not.toContainEqual({ topic: 'queue', instanceId: instance.id });
    }
    await app.query('COMMIT');
    for (const signals of [here, there]) {
      await eventually(() => expect(signals).toContainEqual({ topic: 'queue', instanceId: instance.id }));
    }
  });

  it.runIf(isLongForm)('may be given by a connection with settings of its own', async () => {
    const { storage, schema, workspace, instance } = await fixture();
    const app = await connect(schema, {
      options: '-c search_path=pg_catalog',
      types: { getTypeParser: () => () => 'as the app likes' },
    });
    const message = aMessage(instance);
    await app.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    expect(await accept(storage, message, app)).toEqual({ kind: 'accepted' });
    expect(await storage.messages.find(workspace.id, message.id, app)).toEqual(message);
    await app.query('COMMIT');
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
  });
});

describe('several messages in one transaction', () => {
  it('may come concurrently, and keep their order', async () => {
    const { storage, schema, instance, app } = await fixture();
    const messages = Array.from({ length: 20 }, () => aMessage(instance));
    await app.query('BEGIN');
    await Promise.all(messages.map((message) => accept(storage, message, app)));
    await app.query('COMMIT');
    expect(await queueOf(schema, instance)).toEqual(messages.map(({ id }) => id));
  });

  it.runIf(isLongForm)('fail one by one if they come concurrently', async () => {
    const { storage, schema, workspace, instance, app } = await fixture();
    const taken = aMessage(instance);
    await accept(storage, taken);
    const messages = Array.from({ length: 9 }, (_, index) =>
      aMessage(instance, index % 3 === 1 ? { id: taken.id } : {}),
    );
    await app.query('BEGIN');
    const results = await Promise.allSettled(messages.map((message) => accept(storage, message, app)));
    await app.query('COMMIT');
    for (const [index, { status }] of results.entries()) {
      expect(status, `message ${index}`).toBe(index % 3 === 1 ? 'rejected' : 'fulfilled');
    }
    const good = messages.filter(({ id }) => id !== taken.id);
    for (const { id } of good) expect(await storage.messages.find(workspace.id, id)).not.toBeNull();
    expect(await queueOf(schema, instance)).toEqual([taken, ...good].map(({ id }) => id));
  });
});

describe('while a transaction of the app’s is open', () => {
  it('acceptances for other instances do not wait, and those for its own keep their order', async () => {
    const { storage, schema, workspace, instance, app } = await fixture();
    const others = Array.from({ length: 12 }, () => anInstance(workspace));
    for (const other of others) await storage.instances.insert(other, null);
    const first = aMessage(instance);
    await app.query('BEGIN');
    await accept(storage, first, app);

    const waiting = Array.from({ length: 30 }, () => aMessage(instance));
    let hasEnded = false;
    const accepted = Promise.all(waiting.map((message) => accept(storage, message)));
    void accepted.then(() => (hasEnded = true));
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(others.map((other) => accept(storage, aMessage(other))));
    }
    expect(hasEnded).toBe(false);
    await app.query('COMMIT');
    expect((await accepted).every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(await queueOf(schema, instance)).toEqual([first, ...waiting].map(({ id }) => id));
  });

  it('acceptances that come together with one for its own do not wait with that', async () => {
    const { storage, workspace, instance, app } = await fixture();
    const others = Array.from({ length: 4 }, () => anInstance(workspace));
    for (const other of others) await storage.instances.insert(other, null);
    await app.query('BEGIN');
    await accept(storage, aMessage(instance), app, anIdempotencyRecord(aMessage(instance)));

    let hasEnded = false;
    const waiting = accept(storage, aMessage(instance)).then(() => (hasEnded = true));
    // These acceptances take several statements: the first is refused, the others are on trial, and `sameKey` below has
    // the transaction's key.
    const refused = {
      message: aMessage(instance, { instanceId: anInstance(workspace).id }),
      trialLimit: null,
    };
    const results = await Promise.all([
      storage.messages.accept({ ...refused, idempotency: null, backlogLimit: 1 }),
      ...others.map((other) =>
        storage.messages.accept({
          message: aMessage(other),
          idempotency: null,
          backlogLimit: 9,
          trialLimit: 9,
        }),
      ),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['instance_gone', ...others.map(() => 'accepted')]);
    const sameKey = accept(
      storage,
      aMessage(must(others[0])),
      undefined,
      anIdempotencyRecord(aMessage(instance)),
    );
    expect(await accept(storage, aMessage(must(others[1])))).toEqual({ kind: 'accepted' });
    expect(hasEnded).toBe(false);
    await app.query('COMMIT');
    expect(await sameKey).toMatchObject({ kind: 'remembered' });
    await waiting;
  });

  it.runIf(isLongForm)(
    'an acceptance that waits for it gives up after its time, and leaves nothing',
    async () => {
      const { storage, workspace, instance, app } = await fixture({ timeoutMs: elapsing(10_000) });
      await app.query('BEGIN');
      await accept(storage, aMessage(instance), app);
      const outside = aMessage(instance);
      await expect(accept(storage, outside)).rejects.toThrow();
      await app.query('COMMIT');
      expect(await storage.messages.find(workspace.id, outside.id)).toBeNull();
      expect(await accept(storage, outside)).toEqual({ kind: 'accepted' });
    },
  );

  it('two for the same key are one message', async () => {
    const { storage, schema, instance, app } = await fixture();
    const second = await connect(schema);
    const [mine, theirs] = [aMessage(instance), aMessage(instance)];
    await app.query('BEGIN');
    await second.query('BEGIN');
    const record = anIdempotencyRecord(mine);
    await accept(storage, mine, app, record);
    const late = accept(storage, theirs, second, anIdempotencyRecord(theirs));
    await app.query('COMMIT');
    expect(await late).toEqual({ kind: 'remembered', record });
    await second.query('COMMIT');
  });
});

describe('what cannot be used as a transaction', () => {
  const notBegun = 'no transaction is open on it: run BEGIN first';
  const refused: readonly [what: string, why: string, make: (schema: TestSchema) => unknown][] = [
    ['a client without one', notBegun, (schema) => connect(schema)],
    ['a pool', notBegun, ({ url }) => temporaryPool(url)],
    ['one that has ended', notBegun, (schema) => begun(schema, 'COMMIT')],
    ['one on another database', "it must be connected to the storage's database", onAnotherDatabase],
    [
      'one on another database with a storage of its own',
      "it must be connected to the storage's database",
      onAnotherStorage,
    ],
    ['another kind of handle', 'it must be a client of pg', () => ({ exec() {} })],
    ['null', 'it must be a client of pg', () => null],
  ];

  it.each(refused)('%s', async (_, why, make) => {
    const { storage, schema, instance } = await fixture();
    const message = aMessage(instance);
    const handle = (await make(schema)) as PostgresTransaction; // JavaScript callers may pass anything
    const expected = new TypeError(`postgresStorage: the transaction cannot be used: ${why}.`);
    await expect(accept(storage, message, handle)).rejects.toThrow(expected);
    await expect(storage.messages.find(message.workspaceId, message.id, handle)).rejects.toThrow(expected);
    expect(await storage.messages.find(message.workspaceId, message.id)).toBeNull();
  });

  it('one in which a statement of the app has failed', async () => {
    const { storage, workspace, instance, app } = await fixture();
    const message = aMessage(instance);
    await app.query('BEGIN');
    await expect(app.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await expect(accept(storage, message, app)).rejects.toThrow('current transaction is aborted');
    await app.query('ROLLBACK');
    expect(await storage.messages.find(workspace.id, message.id)).toBeNull();
  });
});

interface Fixture {
  readonly storage: Storage<PostgresTransaction>;
  readonly schema: TestSchema;
  readonly workspace: Workspace;
  readonly instance: Instance;
  /** The app's own connection to the database, which also has a table of the app. */
  readonly app: Client;
}

async function fixture(options: { readonly timeoutMs?: number } = {}): Promise<Fixture> {
  const schema = await keptSchema();
  const storage = await openStorage(schema, options);
  await schema.pool.query(`CREATE TABLE IF NOT EXISTS ${schema.name}.orders (item integer)`);
  return { storage, schema, ...(await storeInstance(storage)), app: await connect(schema) };
}

function accept(
  storage: Storage<PostgresTransaction>,
  message: Message,
  transaction?: PostgresTransaction,
  idempotency: ReturnType<typeof anIdempotencyRecord> | null = null,
) {
  return storage.messages.accept(
    { message, idempotency, backlogLimit: 10_000, trialLimit: null },
    transaction,
  );
}

async function connect({ url }: Pick<TestSchema, 'url'>, config: object = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...config });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function temporaryPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  onTestFinished(() => pool.end());
  return pool;
}

async function begun(schema: Pick<TestSchema, 'url'>, ...then: readonly string[]): Promise<Client> {
  const client = await connect(schema);
  for (const sql of ['BEGIN', ...then]) await client.query(sql);
  return client;
}

async function onAnotherDatabase(): Promise<Client> {
  return begun(await newDatabase());
}

/** A transaction on another database that has the same names of schemas and tables. */
async function onAnotherStorage(schema: TestSchema): Promise<Client> {
  const { url } = await newDatabase();
  await (await openStorage({ ...schema, url })).close();
  return begun({ url });
}

function signalsOf(storage: Storage<PostgresTransaction>): readonly Signal[] {
  const signals: Signal[] = [];
  storage.subscribe((signal) => signals.push(signal));
  return signals;
}

async function queueOf({ pool, name }: TestSchema, { id }: Instance): Promise<readonly string[]> {
  const sql = `SELECT message_id AS id FROM ${name}.queued_messages WHERE instance_id = $1 ORDER BY position`;
  const { rows } = await pool.query<{ id: string }>(sql, [idToUuid('ins', id)]);
  return rows.map((row) => uuidToId('msg', row.id));
}

async function pidOf(client: Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}

async function countOf({ pool, name }: TestSchema, table: string): Promise<number | undefined> {
  const sql = `SELECT count(*)::integer AS count FROM ${name}.${table}`;
  return (await pool.query<{ count: number }>(sql)).rows[0]?.count;
}
