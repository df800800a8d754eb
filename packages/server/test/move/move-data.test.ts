import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Storage } from '@trunkline/core/spi/storage';
import {
  aMessage,
  aNotification,
  anIdempotencyRecord,
  NOW,
  testId,
} from '@trunkline/storage-contract/examples';
import {
  accept,
  claim,
  claimEvents,
  completed,
  disable,
  enqueueAt,
  enqueueOne,
  failed,
  readEndpoint,
  storeEndpoint,
  storeLeasedInstance,
  storeQueuedEvents,
} from '@trunkline/storage-contract/fixtures';
import type { MovableDatabase } from '@trunkline/storage-kit';
import { movablePostgres, postgresStorage } from '@trunkline/storage-postgres';
import { movableSqlite, sqliteStorage } from '@trunkline/storage-sqlite';
import { startPostgres } from '@trunkline/test-postgres/server';
import { must, only } from '@trunkline/test-support';
import { moveData } from '../../src/move/move-data.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const LEASE_MS = 30_000;
const ALL = { from: null, limit: 100 };
const never = new AbortController().signal;

interface Place {
  readonly storage: () => Storage;
  readonly movable: () => MovableDatabase;
}

async function sqlite(): Promise<Place> {
  const path = join(temporaryDirectory(), 'trunkline.db');
  return {
    storage: () => sqliteStorage({ path }) as Storage,
    movable: () => movableSqlite({ path }),
  };
}

async function postgres(): Promise<Place> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const connectionString = server.url;
  return {
    storage: () => postgresStorage({ connectionString }) as Storage,
    movable: () => movablePostgres({ connectionString }),
  };
}

async function opened({ storage }: Place): Promise<Storage> {
  const open = storage();
  await open.open({ newId: testId, logger });
  return open;
}

async function moved(from: Place, to: Place): Promise<Readonly<Record<string, number>>> {
  const [source, target] = [from.movable(), to.movable()];
  await source.open({ logger });
  await target.open({ logger });
  await source.freeze({ role: 'source', id: '1', target: 'there', isComplete: false });
  const mark = { role: 'target', id: '1', source: 'here', progress: { tables: {}, cursor: null } } as const;
  await target.writeMark(mark);
  const rows = await moveData({ source, target, mark, signal: never, onProgress() {} });
  await target.finish({ ...mark, progress: null });
  await source.close();
  await target.close();
  return rows;
}

/** As SQLite has texts, which cannot keep halves of surrogate pairs. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(String.raw`\ud83d`, '\ufffd'));
}

describe.each([
  ['SQLite', 'PostgreSQL', sqlite, postgres],
  ['PostgreSQL', 'SQLite', postgres, sqlite],
] as const)('a move from %s to %s', (_from, _to, here, there) => {
  it('has all that waits go on: queues, held messages, claims of killed processes, cancellations, events of handlers', async () => {
    const [from, to] = [await here(), await there()];
    const before = await opened(from);
    const { workspace, instance, lease } = await storeLeasedInstance(before);
    const [first, second, other] = ['15550001', '15550001', '15550002'].map((recipient) =>
      aMessage(instance, { to: recipient, text: 'half of a pair: \ud83d' }),
    );
    for (const message of [first, second, other]) await accept(before, must(message));
    const held = { messageId: must(first).id, tries: 1, dueAt: NOW + 60_000, heldSince: NOW };
    await before.messages.postpone(lease, held);
    const keyed = aMessage(instance);
    const record = anIdempotencyRecord(keyed, { key: 'a-key' });
    await before.messages.accept({
      message: keyed,
      idempotency: record,
      backlogLimit: 10,
      trialLimit: null,
    });
    const session = new Map([
      ['creds', new Uint8Array([0, 1, 255])],
      ['key \u0000 \u0001', new Uint8Array(300_000)],
    ]);
    await before.sessions.save(lease, session);

    const endpoint = await storeEndpoint(before, workspace);
    const [tried, waiting] = await enqueueAt(before, endpoint, NOW - 10, NOW - 5);
    const [claimed] = await claim(before, NOW, { limit: 1, leaseMs: LEASE_MS });
    await before.deliveries.complete([failed(must(claimed), NOW)], NOW);
    const lost = only(await claim(before, NOW, { limit: 1, leaseMs: LEASE_MS }));
    expect(lost.delivery.id).toBe(must(waiting).id);
    const closed = await storeEndpoint(before, workspace);
    const cancelled = await enqueueOne(before, closed);
    await disable(before, closed);
    const stored = await readEndpoint(before, endpoint);
    await before.endpoints.write({ endpoint: stored, notification: aNotification(stored) });

    const { subscription } = await storeQueuedEvents(before, NOW - 3, NOW - 2, NOW - 1);
    const [exhausted, lostEvent] = await claimEvents(before, subscription, NOW, {
      limit: 2,
      leaseMs: LEASE_MS,
    });
    await before.subscriptions.complete([
      completed(must(exhausted), { kind: 'exhausted', attempts: 1, failedAt: NOW }),
    ]);
    const epoch = lease.epoch;
    // No claim is moved.
    const detail = async (storage: Storage, id: string): Promise<unknown> => {
      const found = must(await storage.deliveries.findDetail(workspace.id, id, 0));
      return { ...found, lane: found.lane && { ...found.lane, claims: 0 } };
    };
    const details = await Promise.all([must(tried).id, cancelled.id].map((id) => detail(before, id)));
    const messages = await before.messages.list(workspace.id, {}, ALL);
    await before.close();

    const rows = await moved(from, to);
    expect(rows).toMatchObject({ held_messages: 1, attempts: 1, closings: 1, notices: 1, subscriptions: 1 });
    const after = await opened(to);
    expect(wellFormed(await after.messages.list(workspace.id, {}, ALL))).toEqual(wellFormed(messages));
    expect(await after.sessions.load(instance.id)).toEqual(session);
    expect(await Promise.all([must(tried).id, cancelled.id].map((id) => detail(after, id)))).toEqual(details);

    expect(only(await after.messages.queueHeads([instance.id], NOW)).message.id).toBe(must(other).id);
    expect(await after.messages.queueHeads([instance.id], NOW + 60_000)).toMatchObject([
      { message: { id: must(other).id } },
      { message: { id: must(first).id }, tries: 1, heldSince: NOW },
    ]);
    expect(await after.messages.findIdempotencyRecord(workspace.id, 'a-key')).toEqual(record);
    const [again] = await after.leases.claim({ owner: 'new', now: NOW, ttlMs: LEASE_MS, limit: 10 });
    expect(must(again).lease.epoch).toBeGreaterThan(epoch);

    // What the killed process held is due when its lease would have ended, and counts as lost.
    expect(await claim(after, NOW + 1)).toEqual([]);
    expect(await claim(after, NOW + LEASE_MS)).toMatchObject([
      { delivery: { id: must(waiting).id, attempts: 0 }, lostClaims: 1 },
    ]);
    const retried = await claim(after, NOW + 600_000);
    expect(retried.map(({ delivery }) => delivery.id)).toContain(must(tried).id);
    expect(await after.deliveries.sweepClosed(10)).toBe(1);
    expect(await after.endpoints.claimNotifications({ now: NOW, leaseMs: LEASE_MS, limit: 10 })).toHaveLength(
      1,
    );

    const events = await claimEvents(after, subscription, NOW + LEASE_MS);
    expect(events).toHaveLength(2);
    expect(events.find(({ event }) => event.id === must(lostEvent).event.id)).toMatchObject({
      lostClaims: 1,
    });
    expect(await after.subscriptions.list(10)).toMatchObject([{ exhausted: 1 }]);
    await after.close();
  });
});
