import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Storage } from '@trunkline/core/spi/storage';
import {
  aHistoryEntry,
  aMessage,
  anEvent,
  anInboundMessage,
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
  deleteHistory,
  disable,
  enqueueAt,
  enqueueOne,
  failed,
  QUEUE_FAILURE,
  readEndpoint,
  storeEndpoint,
  storeLeasedInstance,
  storeQueuedEvents,
  storeWorkspace,
} from '@trunkline/storage-contract/fixtures';
import type {
  MovableDatabase,
  MoveCursor,
  MovedPage,
  MovedRow,
  MovedTableName,
  MoveMark,
} from '@trunkline/storage-kit';
import { movablePostgres, postgresStorage } from '@trunkline/storage-postgres';
import { movableSqlite, sqliteStorage } from '@trunkline/storage-sqlite';
import { newDatabase } from '@trunkline/test-postgres';
import { must, only } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { moveData } from '../../src/move/move-data.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const LEASE_MS = 30_000;
const ALL = { from: null, limit: 100 };
const never = new AbortController().signal;
const DAY = 24 * 60 * 60 * 1000;
/** The beginning of today by the clock of the servers, which create the daily partitions. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const MARK = { role: 'target', id: '1', source: 'here', progress: { tables: {}, cursor: null } } as const;
type TargetMark = Extract<MoveMark, { role: 'target' }>;

interface Place {
  readonly url?: string;
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
  const { url: connectionString } = await newDatabase();
  return {
    url: connectionString,
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
  expect(await target.claim(MARK)).toBe(true);
  const { rows, mark } = await moveData({ source, target, mark: MARK, signal: never, onProgress() {} });
  await target.finish({ expected: mark, next: { ...mark, progress: null } });
  await source.close();
  await target.close();
  return rows;
}

/** `run` returns how many rows a statement changed or read. */
async function inPostgres(
  connectionString: string,
  work: (run: (sql: string) => Promise<number>) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(async (sql) => (await client.query(sql)).rowCount ?? 0);
  } finally {
    await client.end();
  }
}

async function rowsOf({ movable }: Place, name: MovedTableName): Promise<readonly MovedRow[]> {
  const database = movable();
  await database.open({ logger });
  const rows: MovedRow[] = [];
  let cursor: MoveCursor | null = null;
  do {
    const page: MovedPage = await database.read(name, cursor, 100);
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  await database.close();
  return rows;
}

/** Replaces lone surrogates, which SQLite cannot store. */
function wellFormed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(String.raw`\ud83d`, '\ufffd'));
}

describe.each([
  ['SQLite', 'PostgreSQL', sqlite, postgres],
  ['PostgreSQL', 'SQLite', postgres, sqlite],
] as const)('a move from %s to %s', (_from, _to, here, there) => {
  it('lets all waiting work continue: queues, held messages, claims of killed processes, cancellations, events of handlers', async () => {
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
    const scheduled = aMessage(instance, { to: '15550003', sendAt: NOW + 60_000 });
    await before.messages.accept({
      message: scheduled,
      idempotency: null,
      backlogLimit: 10,
      trialLimit: null,
      isScheduled: true,
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
    const deleted = await storeEndpoint(before, workspace);
    const unsent = await enqueueOne(before, deleted);
    await before.endpoints.delete(workspace.id, deleted.id, NOW);
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
    // Ignores the number of claims, which is not moved.
    const detail = async (storage: Storage, id: string): Promise<unknown> => {
      const found = must(await storage.deliveries.findDetail(workspace.id, id, 0));
      return { ...found, lane: found.lane && { ...found.lane, claims: 0 } };
    };
    const detailed = [must(tried).id, cancelled.id, unsent.id];
    const details = await Promise.all(detailed.map((id) => detail(before, id)));
    expect(details[2]).toMatchObject({ endpointUrl: deleted.url });
    const messages = await before.messages.list(workspace.id, {}, ALL);
    await before.close();

    const rows = await moved(from, to);
    expect(rows).toMatchObject({
      held_messages: 1,
      scheduled_messages: 1,
      attempts: 1,
      closings: 2,
      notices: 1,
      subscriptions: 1,
    });
    const after = await opened(to);
    expect(wellFormed(await after.messages.list(workspace.id, {}, ALL))).toEqual(wellFormed(messages));
    expect(await after.sessions.load(instance.id)).toEqual(session);
    expect(await Promise.all(detailed.map((id) => detail(after, id)))).toEqual(details);

    expect(only(await after.messages.queueHeads([instance.id], NOW)).message.id).toBe(must(other).id);
    expect(await after.messages.queueHeads([instance.id], NOW + 60_000)).toMatchObject([
      { message: { id: must(other).id } },
      { message: { id: must(first).id }, tries: 1, heldSince: NOW },
    ]);
    expect(await after.messages.findIdempotencyRecord(workspace.id, 'a-key')).toEqual(record);
    const [again] = await after.leases.claim({
      owner: 'new',
      now: NOW,
      networks: ['sandbox'],
      ttlMs: LEASE_MS,
      limit: 10,
    });
    expect(must(again).lease.epoch).toBeGreaterThan(epoch);
    const later = await after.schedule.list(workspace.id, { instanceId: instance.id }, ALL);
    expect(wellFormed(later.rows)).toEqual(wellFormed([scheduled]));
    expect(await after.schedule.release(NOW + 60_000, QUEUE_FAILURE)).toBeNull();
    const heads = await after.messages.queueHeads([instance.id], NOW, { limit: 9, withFiles: true });
    expect(heads.map(({ message }) => message.id)).toContain(scheduled.id);

    // Deliveries claimed by the killed process are due when the process's lease would have ended. Their claims count as
    // lost.
    expect(await claim(after, NOW + 1)).toEqual([]);
    expect(await claim(after, NOW + LEASE_MS)).toMatchObject([
      { delivery: { id: must(waiting).id, attempts: 0 }, lostClaims: 1 },
    ]);
    const retried = await claim(after, NOW + 600_000);
    expect(retried.map(({ delivery }) => delivery.id)).toContain(must(tried).id);
    expect(await after.deliveries.sweepClosed(10)).toBe(2);
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

  it('deletes all old data later: open deliveries with their attempts, events, their log, keys, instance history, and the URLs of deleted webhooks', async () => {
    const [from, to] = [await here(), await there()];
    const before = await opened(from);
    const { workspace, instance, lease } = await storeLeasedInstance(before);
    const endpoint = await storeEndpoint(before, workspace);
    const times = [TODAY - 45 * DAY, TODAY - 44 * DAY, TODAY - 3 * DAY, TODAY - DAY, TODAY];
    for (const at of times) {
      const message = anInboundMessage(instance, { createdAt: at });
      const arrival = { message, senderId: `sender ${at}`, event: anEvent(workspace, at) };
      expect(await before.messages.receive(lease, arrival)).toBe('received');
      await before.instances.note(lease, aHistoryEntry(instance, { at }));
      const sent = aMessage(instance, { createdAt: at });
      const idempotency = anIdempotencyRecord(sent, { key: `key ${at}` });
      await before.messages.accept({ message: sent, idempotency, backlogLimit: 100, trialLimit: null });
      // The delivery stays open, but is not due while later deliveries are tried.
      for (const [tryAt, nextRetryAt] of [
        [at, at + 60_000],
        [at + 60_000, TODAY + DAY],
      ] as const) {
        const claimed = only(await claim(before, tryAt));
        expect(claimed.delivery.endpointId).toBe(endpoint.id);
        await before.deliveries.complete([failed(claimed, tryAt, { nextRetryAt })], tryAt);
      }
    }
    for (const deletedAt of [TODAY - DAY, TODAY]) {
      const deleted = await storeEndpoint(before, workspace);
      await enqueueAt(before, deleted, TODAY - 3 * DAY);
      await before.endpoints.delete(workspace.id, deleted.id, deletedAt);
    }
    await before.close();
    // PostgreSQL deletes old events and their entries in the log in two steps; a kill may prevent the second.
    if (from.url !== undefined)
      await inPostgres(from.url, (run) => run('DELETE FROM trunkline.events_default'));
    await moved(from, to);

    const after = await opened(to);
    await after.deliveries.sweepClosed(10);
    await deleteHistory(after, TODAY);
    while ((await after.retention.deleteInstanceHistory(TODAY, 2)) > 0);
    while ((await after.retention.deleteIdempotencyRecords(TODAY, 2)) > 0);
    await after.close();
    const left = await Promise.all(
      (
        ['deliveries', 'attempts', 'instance_history', 'idempotency_records', 'deleted_endpoints'] as const
      ).map(async (name) => [name, (await rowsOf(to, name)).length] as const),
    );
    expect(Object.fromEntries(left)).toEqual({
      deliveries: 1,
      attempts: 2,
      instance_history: 1,
      idempotency_records: 1,
      deleted_endpoints: 1,
    });
    const events = (await rowsOf(to, 'events')).map(({ id }) => id);
    // PostgreSQL keeps the events of a day for one more day.
    expect(events).toHaveLength(to.url === undefined ? 1 : 2);
    expect((await rowsOf(to, 'event_log')).map(({ id }) => id)).toEqual(events);
  });

  it.runIf(isLongForm)(
    'is ended by one process only: a second one is refused, and changes nothing',
    async () => {
      const [from, to] = [await here(), await there()];
      const before = await opened(from);
      const { workspace, instance } = await storeLeasedInstance(before);
      for (let count = 0; count < 300; count += 1) await accept(before, aMessage(instance));
      const messages = await before.messages.list(workspace.id, {}, { from: null, limit: 300 });
      await before.close();
      const source = from.movable();
      await source.open({ logger });
      const [first, second] = [to.movable(), to.movable()];
      await first.open({ logger });
      await second.open({ logger });
      expect(await first.claim(MARK)).toBe(true);
      expect(await second.claim({ ...MARK, id: '2' })).toBe(false);
      const stored = async (): Promise<TargetMark> => {
        const mark = must(await second.mark());
        if (mark.role === 'target') return mark;
        throw new Error('The place is not a target.');
      };
      const onProgress = (): void => {};
      const run = (target: MovableDatabase, mark: TargetMark): ReturnType<typeof moveData> =>
        moveData({ source, target, mark, signal: never, onProgress });
      let hasBegun = false;
      const beaten: MovableDatabase = {
        ...first,
        async write(name, rows, marks) {
          if (name === 'messages' && !hasBegun) {
            hasBegun = true;
            await run(second, await stored());
          }
          return first.write(name, rows, marks);
        },
      };
      await expect(run(beaten, MARK)).rejects.toThrow('another "trunkline move" writes to the same database');
      const { mark, rows } = await run(second, await stored());
      expect(rows).toMatchObject({ messages: 300 });
      await expect(first.finish({ expected: MARK, next: { ...MARK, progress: null } })).rejects.toThrow(
        'another "trunkline move" writes to the same database',
      );
      await second.finish({ expected: mark, next: { ...mark, progress: null } });
      for (const opened of [source, first, second]) await opened.close();
      const after = await opened(to);
      expect(await after.messages.list(workspace.id, {}, { from: null, limit: 300 })).toEqual(messages);
      await after.close();
    },
  );

  it('files messages by their chats, so that they can be looked up', async () => {
    const [from, to] = [await here(), await there()];
    const before = await opened(from);
    const { workspace, instance } = await storeLeasedInstance(before);
    for (let count = 0; count < 30; count += 1) await accept(before, aMessage(instance, { to: '15550001' }));
    await before.close();
    await moved(from, to);
    const after = await opened(to);
    const fresh = aMessage(instance, { to: '15550001' });
    await accept(after, fresh);
    expect(await after.chats.file?.(100)).toEqual({ filed: 1, lastId: fresh.id, more: false });
    const counterpart = { kind: 'number', digits: '15550001' } as const;
    expect((await after.messages.list(workspace.id, { counterpart }, ALL)).rows).toHaveLength(31);
    await after.close();
  });

  it.runIf(isLongForm)(
    'reads fewer rows if they are large, and can be interrupted while it compares',
    async () => {
      const [from, to] = [await here(), await there()];
      const before = await opened(from);
      const { lease } = await storeLeasedInstance(before);
      // A single statement with all values could exceed the statement timeout on a busy machine.
      for (let key = 0; key < 80; key += 1) {
        const saved = await before.sessions.save(lease, new Map([[`key ${key}`, new Uint8Array(200_000)]]));
        expect(saved).toBe('saved');
      }
      await before.close();
      const [source, target] = [from.movable(), to.movable()];
      await source.open({ logger });
      await target.open({ logger });
      await target.claim(MARK);
      const pages: number[] = [];
      const watched: MovableDatabase = {
        ...source,
        async read(name, place, limit) {
          const page = await source.read(name, place, limit);
          if (name === 'session_values') pages.push(page.rows.length);
          return page;
        },
      };
      const interruption = new AbortController();
      let compared = 0;
      const moving = moveData({
        source: watched,
        target,
        mark: MARK,
        signal: interruption.signal,
        onProgress({ phase, rows }) {
          if (phase !== 'compared') return;
          compared = rows;
          // Aborts in a later turn of the event loop, as a signal does.
          if (rows > 0) setImmediate(() => interruption.abort(new Error('interrupted')));
        },
      });
      await expect(moving).rejects.toThrow('interrupted');
      expect(compared).toBeLessThan(80);
      expect(pages[0]).toBe(50);
      for (const rows of pages.slice(1)) expect(rows * 200_000).toBeLessThanOrEqual(2 * 1024 * 1024);
      await source.close();
      await target.close();
    },
  );
});

it('a move to PostgreSQL gives each moved day its own partitions, and the default ones to older rows', async () => {
  const [from, to] = [await sqlite(), await postgres()];
  const before = await opened(from);
  const workspace = await storeWorkspace(before);
  const endpoint = await storeEndpoint(before, workspace);
  await enqueueAt(before, endpoint, TODAY - 45 * DAY, TODAY - 3 * DAY, TODAY - DAY, TODAY);
  await before.close();
  await moved(from, to);
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
  await inPostgres(must(to.url), async (run) => {
    for (const at of [TODAY - 3 * DAY, TODAY - DAY, TODAY])
      expect(await run(`SELECT FROM trunkline.events_${day(at)}`)).toBe(1);
    expect(await run('SELECT FROM trunkline.events_default')).toBe(1);
  });
});
