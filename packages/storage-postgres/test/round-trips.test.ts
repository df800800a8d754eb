import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { idToUuid, isUnavailable } from '@trunkline/core/spi/storage';
import type {
  AcceptanceResult,
  Arrival,
  EventRecord,
  Instance,
  Message,
  Storage,
} from '@trunkline/core/spi/storage';
import { aMessage, anEvent, anInboundMessage, NOW } from '@trunkline/storage-contract/examples';
import {
  claim,
  claimAt,
  enqueueAt,
  sending,
  storeEndpoint,
  succeeded,
  takeLease,
} from '@trunkline/storage-contract/fixtures';
import { elapsing, eventually, must, only } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { keptSchemas, openStorage, storeInstance } from './support/open-storage.ts';
import { stallingProxy } from './support/stalling-proxy.ts';
import type { TestSchema } from './support/test-schema.ts';

const keptSchema = keptSchemas();

it('a session is saved in two round trips, and an outcome with its event in two', async () => {
  const { storage, lease, change, pool } = await fixture();
  const counted = countTrips(pool);
  await storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)], ['old', null]])); // prettier-ignore
  expect(counted.trips()).toBe(2);
  expect(await storage.messages.change(lease, change)).toBe('changed');
  expect(counted.trips()).toBe(2);
});

it('a message is received with its event in two round trips, once, and only under its lease', async () => {
  const { schema, storage, lease, instance, pool } = await fixture();
  const arrival = anArrival(instance);
  const counted = countTrips(pool);
  expect(await storage.messages.receive(lease, arrival)).toBe('received');
  expect(counted.trips()).toBe(2);
  expect(await storage.messages.receive(lease, arrival)).toBe('duplicate');
  const lost = { ...lease, epoch: lease.epoch - 1 };
  expect(await storage.messages.receive(lost, anArrival(instance))).toBe('fenced');
  const { rows } = await schema.pool.query(
    `SELECT count(*)::integer AS inbound FROM ${schema.name}.messages WHERE direction = 'inbound'`,
  );
  expect(rows).toEqual([{ inbound: 1 }]);
});

it('a webhook is claimed in three round trips, and its outcome is saved in three', async () => {
  const { storage, pool } = await dueWebhooks({ endpoints: 1, each: 1 });
  const counted = countTrips(pool);
  const outcome = succeeded(only(await claim(storage, NOW)), NOW);
  expect(counted.trips()).toBe(3);
  const { completed, claimed } = await storage.deliveries.completeAndClaim([outcome], claimAt(NOW));
  expect([completed, claimed]).toEqual([['written'], []]);
  expect(counted.trips()).toBe(3);
  expect(await claim(storage, NOW)).toEqual([]);
  expect(counted.trips()).toBe(1);
});

it('a hundred outcomes are saved, and the next hundred webhooks claimed, in five round trips', async () => {
  const { storage, pool } = await dueWebhooks({ endpoints: 50, each: 4 });
  const claimed = await claim(storage, NOW);
  expect(claimed).toHaveLength(100);
  const counted = countTrips(pool);
  const outcomes = claimed.map((one) => succeeded(one, NOW));
  const next = await storage.deliveries.completeAndClaim(outcomes, claimAt(NOW));
  expect(new Set(next.completed)).toEqual(new Set(['written']));
  expect(next.claimed).toHaveLength(100);
  expect(counted.trips()).toBe(5);
  const last = next.claimed.map((one) => succeeded(one, NOW));
  expect(await storage.deliveries.complete(last, NOW)).toBe(100);
  expect(counted.trips()).toBe(2);
});

it('outcomes whose lane or endpoint another transaction has locked are left out, and nothing waits for it', async () => {
  const { schema, storage } = await dueWebhooks({ endpoints: 3, each: 1 });
  const claimed = await claim(storage, NOW);
  const [lane, endpoint] = claimed.map(({ delivery }) => idToUuid('wh', delivery.endpointId));
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query('BEGIN');
  await client.query(`SELECT FROM ${schema.name}.lanes WHERE endpoint_id = $1 FOR UPDATE`, [lane]);
  await client.query(`SELECT FROM ${schema.name}.endpoints WHERE id = $1 FOR UPDATE`, [endpoint]);
  const outcomes = claimed.map((one) => succeeded(one, NOW));
  const { completed } = await storage.deliveries.completeAndClaim(outcomes, claimAt(NOW));
  expect(completed).toEqual(['busy', 'busy', 'written']);
  await client.query('ROLLBACK');
  expect(await storage.deliveries.complete(outcomes, NOW)).toBe(2);
});

it('messages are accepted while an outcome of their instance waits for any of its statements', async () => {
  const { schema, storage, lease, instance, change, pool } = await fixture();
  const other = await openStorage(schema, { notifications: false });
  const accepted: AcceptanceResult[] = [];
  onEachStatement(pool, async (run) => {
    const result = await run();
    accepted.push(await accept(other, aMessage(instance)));
    return result;
  });
  expect(await storage.messages.change(lease, change)).toBe('changed');
  expect(accepted.length).toBeGreaterThan(4);
  expect(new Set(accepted.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  const { rows } = await schema.pool.query(`SELECT length::integer FROM ${schema.name}.queues`);
  expect(rows).toEqual([{ length: accepted.length }]);
});

it('an outcome is not written without its event', async () => {
  const { schema, storage, lease, change, message } = await fixture();
  await schema.pool.query(`ALTER TABLE ${schema.name}.event_log ADD CHECK (false) NOT VALID`);
  await expect(storage.messages.change(lease, change)).rejects.toThrow();
  expect(await storage.messages.find(message.workspaceId, message.id)).toEqual(message);
});

// In the long form, because the caller gives up after ten seconds. The count of round trips covers the short form.
it.runIf(isLongForm)(
  'a save that arrives after its caller has given up does not undo a later save',
  async () => {
    const schema = await keptSchema();
    const proxy = await stallingProxy(schema.url);
    const pool = new Pool({
      connectionString: proxy.url,
      max: 1,
      pipeline: true,
      application_name: schema.name,
    });
    onTestFinished(() => pool.end());
    const storage = await openStorage(schema, { pool, notifications: false, timeoutMs: elapsing(10_000) });
    const { instance } = await storeInstance(storage);
    const lease = await takeLease(storage, instance);
    const creds = (step: number) => new Map([['creds', Uint8Array.of(step)]]);
    await storage.sessions.save(lease, creds(1));
    proxy.stall();
    await expect(storage.sessions.save(lease, creds(2))).rejects.toSatisfy(isUnavailable);
    await storage.sessions.save(lease, creds(3));
    proxy.deliver();
    await eventually(async () => expect(await connectionsOf(schema)).toBe(1));
    expect(await storage.sessions.load(instance.id)).toEqual(creds(3));
  },
);

it('nothing is written if a transaction cannot begin', async () => {
  const { storage, lease, change, instance, message, pool } = await fixture();
  const session = new Map([['creds', Uint8Array.of(1)]]);
  await storage.sessions.save(lease, session);
  failBeginnings(pool);
  await expect(storage.sessions.save(lease, new Map([['creds', null]]))).rejects.toThrow('division by zero');
  await expect(storage.messages.change(lease, change)).rejects.toThrow('division by zero');
  const arrival = anArrival(instance);
  await expect(storage.messages.receive(lease, arrival)).rejects.toThrow('division by zero');
  expect(await storage.messages.find(instance.workspaceId, arrival.message.id)).toBeNull();
  expect(await storage.sessions.load(lease.instanceId)).toEqual(session);
  expect(await storage.messages.find(message.workspaceId, message.id)).toEqual(message);
});

it('no webhook is claimed, and no outcome recorded, if a transaction cannot begin', async () => {
  const { schema, storage, pool, endpoint } = await dueWebhooks({ endpoints: 1, each: 2 });
  const [held] = await claim(storage, NOW, { limit: 1 });
  const outcome = succeeded(must(held), NOW);
  await enqueueAt(storage, endpoint, NOW);
  failBeginnings(pool);
  const { deliveries } = storage;
  await expect(deliveries.complete([outcome], NOW)).rejects.toThrow('division by zero');
  await expect(deliveries.completeAndClaim([outcome], claimAt(NOW))).rejects.toThrow('division by zero');
  await expect(deliveries.claim(claimAt(NOW))).rejects.toThrow('division by zero');
  const other = await openStorage(schema, { notifications: false });
  expect(await other.deliveries.complete([outcome], NOW)).toBe(1);
  expect(await claim(other, NOW)).toMatchObject([{ lostClaims: 0 }, { lostClaims: 0 }]);
});

/**
 * Endpoints with some due deliveries each, of which one is returned, on a storage that has made its first claim.
 */
async function dueWebhooks({ endpoints, each }: { readonly endpoints: number; readonly each: number }) {
  const schema = await keptSchema();
  const pool = new Pool({ connectionString: schema.url, max: 1, pipeline: true });
  onTestFinished(() => pool.end());
  const storage = await openStorage(schema, { pool, notifications: false });
  const { workspace } = await storeInstance(storage);
  await storage.deliveries.claim(claimAt(NOW));
  let endpoint = await storeEndpoint(storage, workspace);
  for (let index = 1; ; index += 1) {
    await enqueueAt(storage, endpoint, ...Array.from({ length: each }, () => NOW));
    if (index === endpoints) return { schema, storage, pool, endpoint };
    endpoint = await storeEndpoint(storage, workspace);
  }
}

async function fixture() {
  const schema = await keptSchema();
  const pool = new Pool({ connectionString: schema.url, max: 1, pipeline: true });
  onTestFinished(() => pool.end());
  const storage = await openStorage(schema, { pool, notifications: false });
  const { workspace, instance } = await storeInstance(storage);
  await storeEndpoint(storage, workspace);
  const lease = await takeLease(storage, instance);
  const message = aMessage(instance);
  await accept(storage, message);
  const event: EventRecord = {
    ...anEvent(workspace, NOW),
    type: 'message.sent',
    subject: { instanceId: instance.id, messageId: message.id },
  };
  return {
    schema,
    storage,
    lease,
    instance,
    message,
    pool,
    change: { ...sending(message), events: [event] },
  };
}

function anArrival(instance: Instance): Arrival {
  const message = anInboundMessage(instance);
  const subject = { instanceId: instance.id, messageId: message.id };
  const event = { ...anEvent({ id: instance.workspaceId }, NOW), subject };
  return { message, senderId: 'someone', contact: null, event };
}

function accept(storage: Storage, message: Message): Promise<AcceptanceResult> {
  return storage.messages.accept({ message, idempotency: null, backlogLimit: 50, trialLimit: null });
}

async function connectionsOf({ pool, name }: TestSchema): Promise<unknown> {
  const sql = 'SELECT count(*)::integer AS open FROM pg_stat_activity WHERE application_name = $1';
  return (await pool.query<{ open: number }>(sql, [name])).rows[0]?.open;
}

/** Counts how often statements are sent while no result is awaited. */
function countTrips(pool: Pool): { trips(): number } {
  let awaited = 0;
  let trips = 0;
  onEachStatement(pool, (run) => {
    if (awaited === 0) trips += 1;
    awaited += 1;
    return run().finally(() => {
      awaited -= 1;
    });
  });
  return {
    trips() {
      const counted = trips;
      trips = 0;
      return counted;
    },
  };
}

/** Lets PostgreSQL refuse to begin transactions, on a connection that stays usable. */
function failBeginnings(pool: Pool): void {
  onEachStatement(pool, (run, statement) =>
    run(statement.text.startsWith('BEGIN') ? { text: 'SELECT 1 / 0' } : statement),
  );
}

interface Sent {
  readonly text: string;
}

function onEachStatement(
  pool: Pool,
  send: (run: (statement?: Sent) => Promise<unknown>, statement: Sent) => Promise<unknown>,
): void {
  pool.on('acquire', (client) => {
    const query = client.query.bind(client) as (statement: Sent) => Promise<unknown>;
    Object.assign(client, {
      query: (statement: Sent) => send((other = statement) => query(other), statement),
    });
  });
}
