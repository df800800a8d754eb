import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { AcceptanceResult, Message, Storage } from '@trunkline/core/spi/storage';
import { aMessage, anIdempotencyRecord, DAY, NOW } from '@trunkline/storage-contract/examples';
import { enqueueAt, storeInstance, storeLane, storeWorkspace } from '@trunkline/storage-contract/fixtures';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ROWS = 120;
/** How many rows a sweep writes before other calls have their turn. */
const SLICE = 50;

/** Stores `ROWS` rows of the table, and returns the sweep that writes all of them. */
type Prepared = (storage: Storage) => Promise<() => Promise<unknown>>;

it.for<readonly [what: string, left: string, prepared: Prepared]>([
  [
    'deletion of history',
    'SELECT count(*) AS left FROM deliveries',
    async (storage) => {
      await enqueue(storage);
      return () => storage.retention.deleteHistory(NOW + 2 * DAY, 1_000);
    },
  ],
  [
    'deletion of idempotency records',
    'SELECT count(*) AS left FROM idempotency_log',
    async (storage) => {
      await acceptAll(storage);
      return () => storage.retention.deleteIdempotencyRecords(NOW + 2 * DAY, 1_000);
    },
  ],
  [
    'deletion of messages',
    'SELECT count(*) AS left FROM messages',
    async (storage) => {
      const { workspaceId, ids } = await acceptAll(storage);
      return () => storage.erasure.deleteMessages(workspaceId, { ids, unfinished: 'deleted', limit: 1_000 });
    },
  ],
  [
    'sweep of cancelled deliveries',
    'SELECT count(*) AS left FROM due',
    async (storage) => {
      const { id, workspaceId } = await enqueue(storage);
      await storage.endpoints.delete(workspaceId, id, NOW);
      return () => storage.deliveries.sweepClosed(1_000);
    },
  ],
  [
    'filing of messages',
    'SELECT count(*) AS left FROM unfiled_messages',
    async (storage) => {
      await acceptAll(storage);
      return async () => storage.chats.file?.(1_000);
    },
  ],
])('a %s lets other calls have their turn after 50 rows', async ([, left, prepare]) => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const sweep = await prepare(storage);
  const count = connectTo(path).prepare(left);
  expect(count.get()).toEqual({ left: ROWS });
  // The time stops, so that the first slice and the other call share a commit.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => time.mockRestore());
  const swept = sweep();
  await storage.setting('name', 'value');
  expect(count.get()).toEqual({ left: ROWS - SLICE });
  await swept;
  expect(count.get()).toEqual({ left: 0 });
});

it('reads of many queues that come together let other calls have their turn after 8 ms', async () => {
  const storage = await openStorage(join(temporaryDirectory(), 'test.db'));
  const workspace = await storeWorkspace(storage);
  const ids = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const instance = await storeInstance(storage, workspace);
      await accept(storage, aMessage(instance), 1);
      return instance.id;
    }),
  );
  let elapsed = 0;
  const time = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 5)); // each read takes this long
  onTestFinished(() => time.mockRestore());
  let turns = 1;
  const countTurns = (): NodeJS.Immediate => setImmediate(() => (turns += 1) && (counting = countTurns()));
  let counting = countTurns();
  const [first, ...rest] = ids;
  const heads = await Promise.all([
    storage.messages.queueHeads([first ?? ''], NOW),
    storage.messages.queueHeads(rest, NOW),
  ]);
  clearImmediate(counting);
  expect(heads.flat().map(({ message }) => message.instanceId)).toEqual(ids);
  expect(turns).toBeGreaterThanOrEqual(4);
});

async function enqueue(storage: Storage) {
  const { endpoint } = await storeLane(storage);
  await enqueueAt(storage, endpoint, ...Array.from({ length: ROWS }, (_, index) => NOW + index));
  return endpoint;
}

async function acceptAll(storage: Storage) {
  const instance = await storeInstance(storage, await storeWorkspace(storage));
  const messages = Array.from({ length: ROWS }, (_, index) => aMessage(instance, { createdAt: NOW + index }));
  await Promise.all(messages.map((message) => accept(storage, message, ROWS)));
  return { workspaceId: instance.workspaceId, ids: messages.map(({ id }) => id) };
}

function accept(storage: Storage, message: Message, backlogLimit: number): Promise<AcceptanceResult> {
  const idempotency = anIdempotencyRecord(message, { key: message.id });
  return storage.messages.accept({ message, idempotency, backlogLimit, trialLimit: null });
}
