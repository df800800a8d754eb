import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Signal, Storage } from '@trunkline/core/spi/storage';
import { aMessage, anInstance, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { renaming } from '@trunkline/storage-contract/fixtures';
import { eventually, must, until } from '@trunkline/test-support';
import { channelOf } from '../src/database/remote-signals.ts';
import { keptSchemas, openStorage, storeInstance } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

const keptSchema = keptSchemas();

describe('two storages on one schema', () => {
  it('get signals of each other’s work, and of their own once', async () => {
    const schema = await keptSchema();
    const [one, two] = [await openStorage(schema), await openStorage(schema)];
    const { instance } = await storeInstance(one);
    const [atOne, atTwo] = [listen(one), listen(two)];
    await accept(one, aMessage(instance));
    const reported = { topic: 'queue', instanceId: instance.id };
    await eventually(() => expect(atTwo).toContainEqual(reported));
    // A signal that came back to its sender would have arrived before this response.
    await accept(two, aMessage(instance));
    await eventually(() => expect(atOne).toHaveLength(2));
    expect(atOne).toEqual([reported, reported]);
  });

  it('get many signals in a few messages', async () => {
    const schema = await keptSchema();
    const [one, two] = [await openStorage(schema), await openStorage(schema)];
    const { workspace } = await storeInstance(one);
    const instances = Array.from({ length: 250 }, () => anInstance(workspace));
    for (const instance of instances) await one.instances.insert(instance, null);
    const held = await one.leases.claim({
      owner: 'holder',
      now: NOW,
      networks: ['sandbox'],
      ttlMs: 60_000,
      limit: 300,
    });
    expect(held.length).toBeGreaterThanOrEqual(250);
    const atTwo = listen(two);
    const payloads = await payloadsOf(schema);
    // The signals of a holder's writes are the longest.
    await Promise.all(
      held.map(({ instance, lease }) => one.instances.write({ ...renaming(instance, 'New'), lease })),
    );
    await eventually(() => {
      const heard = new Set(atTwo.map((signal) => 'byHolder' in signal && signal.instanceId));
      expect(instances.filter(({ id }) => !heard.has(id))).toEqual([]);
    });
    expect(payloads.length).toBeLessThan(125);
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000);
  });

  it('get no signals from another schema', async () => {
    const [mine, other] = [await keptSchema(), await keptSchema()];
    const [one, two, elsewhere] = [
      await openStorage(mine),
      await openStorage(mine),
      await openStorage(other),
    ];
    const [atTwo, there] = [listen(two), listen(elsewhere)];
    await storeInstance(one);
    await eventually(() => expect(atTwo).not.toEqual([]));
    expect(there).toEqual([]);
  });

  it('hear again after their connections were cut, and work meanwhile', async () => {
    const schema = await keptSchema();
    const one = await openStorage(schema);
    const pool = new Pool({ connectionString: schema.url, max: 4, application_name: schema.name });
    onTestFinished(() => pool.end());
    const two = await openStorage(schema, { pool });
    const { workspace, instance } = await storeInstance(one);
    const listening = async (): Promise<number | undefined> => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'";
      return (await schema.pool.query<{ pid: number }>(sql, [schema.name])).rows[0]?.pid;
    };
    const before = must(await listening());
    await schema.pool.query('SELECT pg_terminate_backend($1)', [before]);
    expect(await two.instances.find(workspace.id, instance.id)).toEqual(instance);
    await eventually(async () => expect([before, undefined]).not.toContain(await listening()));
    const atTwo = listen(two);
    await accept(one, aMessage(instance));
    await eventually(() => expect(atTwo).toContainEqual({ topic: 'queue', instanceId: instance.id }));
  });
});

it('signals that come during or after the closing of a storage are not reported: a listener could not read', async () => {
  const schema = await keptSchema();
  const pool = new Pool({ connectionString: schema.url, max: 4 });
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client));
  onTestFinished(() => pool.end());
  const storage = await openStorage(schema, { pool });
  const signals = listen(storage);
  const notify = (): void => {
    const payload = JSON.stringify({ from: '', signals: [{ topic: 'deliveries' }] });
    for (const client of clients)
      client.emit('notification', { channel: channelOf(schema.name), payload, processId: 1 });
  };
  notify();
  expect(signals).toEqual([{ topic: 'deliveries' }]);
  const closed = storage.close();
  await new Promise((resolve) => setImmediate(resolve));
  notify();
  await closed;
  notify();
  expect(signals).toEqual([{ topic: 'deliveries' }]);
});

it('closing a storage sends the signals that still wait', async () => {
  const schema = await keptSchema();
  const other = await openStorage(schema);
  const pool = new Pool({ connectionString: schema.url, max: 4 });
  onTestFinished(() => pool.end());
  const gate = Promise.withResolvers<void>();
  const steps: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: object) => Promise<unknown>; // as the storage calls it
    Reflect.set(client, 'query', async (statement: object) => {
      const isNotification = 'text' in statement && String(statement.text).includes('pg_notify');
      if (!isNotification) return query(statement);
      steps.push('sending');
      await gate.promise;
      return query(statement).finally(() => steps.push('sent'));
    });
  });
  const storage = await openStorage(schema, { pool });
  const workspace = aWorkspace();
  const [first, second] = [anInstance(workspace), anInstance(workspace)];
  await other.workspaces.insert(workspace);
  for (const instance of [first, second]) await other.instances.insert(instance, null);
  const heard = listen(other);
  await accept(storage, aMessage(first));
  await until('the first signal is being sent', () => steps.length > 0);
  await accept(storage, aMessage(second));

  const closed = storage.close().then(() => steps.push('closed'));
  // One connection sends. The listening one is gone once the storage hears nothing more.
  await until('the storage no longer listens', () => pool.totalCount - pool.idleCount === 1);
  gate.resolve();
  await closed;

  expect(steps).toEqual(['sending', 'sent', 'sending', 'sent', 'closed']);
  const queues = [first, second].map(({ id }) => ({ topic: 'queue', instanceId: id }));
  await eventually(() => expect(heard).toEqual(expect.arrayContaining(queues)));
});

it('messages of other programs that are not signals are ignored', async () => {
  const schema = await keptSchema();
  const storage = await openStorage(schema);
  const signals = listen(storage);
  const payloads = [
    'no JSON',
    'null',
    '[]',
    '{"from":1,"signals":[]}',
    '{"from":"x","signals":"all"}',
    '{"from":"x","signals":[null,1,{"topic":"drop"},{"topic":"queue"},{"topic":"queue","instanceId":7}]}',
    '{"from":"x","signals":[{"topic":"deliveries"}]}',
  ];
  for (const payload of payloads) {
    await schema.pool.query('SELECT pg_notify($1, $2)', [channelOf(schema.name), payload]);
  }
  await eventually(() => expect(signals).toEqual([{ topic: 'deliveries' }]));
});

function listen(storage: Storage): readonly Signal[] {
  const signals: Signal[] = [];
  storage.subscribe((signal) => signals.push(signal));
  return signals;
}

async function accept(storage: Storage, message: ReturnType<typeof aMessage>): Promise<void> {
  await storage.messages.accept({ message, idempotency: null, backlogLimit: 100, trialLimit: null });
}

/** The payloads that are sent from now on, added to the list as they arrive. */
async function payloadsOf(schema: TestSchema): Promise<readonly string[]> {
  const payloads: string[] = [];
  const client = await schema.pool.connect();
  onTestFinished(() => client.release(true));
  client.on('notification', ({ payload }) => payloads.push(payload ?? ''));
  await client.query(`LISTEN "${channelOf(schema.name)}"`);
  return payloads;
}
