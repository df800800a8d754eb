import { DEFAULT_PLAN } from '@trunkline/core/spi/storage';
import type { ClaimedDelivery, Completion, Storage } from '@trunkline/core/spi/storage';
import { inBatches } from '../batches.ts';
import { anEndpoint } from '../endpoint.ts';
import { dropSchema } from '../postgres.ts';
import { newId, storageContext, STORAGES } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { fillLanes } from './backlog.ts';

const QUEUED_AT_ONCE = 2_000;
/** How many loops claim and complete, like several processes. */
const LOOPS = 2;
const CLAIM = 500;

export interface OpenLanes {
  queue(count: number, endpointOf: (index: number) => number): Promise<void>;
  /** Queues `count` deliveries by SQL: half at the first endpoint, the others at all endpoints in turn. */
  fill(count: number): Promise<void>;
  /** Returns how many deliveries were claimed and completed per second. */
  drain(count: number): Promise<number>;
  remove(): Promise<void>;
}

export async function openLanes(endpointCount: number): Promise<OpenLanes> {
  const directory = makeDirectory();
  const storage = STORAGES.postgres(directory);
  await storage.open(storageContext);
  const workspaceId = newId('ten', Date.now());
  await storage.workspaces.insert({
    id: workspaceId,
    name: 'Bench',
    plan: DEFAULT_PLAN,
    trialMessagesUsed: 0,
    retention: null,
    suspendedAt: null,
    createdAt: Date.now(),
  });
  const endpoints = Array.from({ length: endpointCount }, () => anEndpoint(workspaceId));
  for (const batch of inBatches(endpoints, 100)) {
    await Promise.all(batch.map((endpoint) => storage.endpoints.insert(endpoint, endpointCount)));
  }
  return {
    async queue(count, endpointOf) {
      for (let index = 0; index < count; index += QUEUED_AT_ONCE) {
        const batch = Array.from({ length: Math.min(QUEUED_AT_ONCE, count - index) }, (_, more) => {
          const endpoint = endpoints[endpointOf(index + more) % endpointCount];
          return enqueue(storage, workspaceId, endpoint?.id ?? '');
        });
        await Promise.all(batch);
      }
    },
    fill: (count) => fillLanes(directory, { workspaceId, endpointIds: endpoints.map(({ id }) => id), count }),
    async drain(count) {
      let left = count;
      const began = performance.now();
      const claimAndComplete = async (): Promise<void> => {
        while (left > 0) {
          const completed = await drainSome(storage, Math.min(CLAIM, left));
          left -= completed;
        }
      };
      await Promise.all(Array.from({ length: LOOPS }, claimAndComplete));
      return (count - left) / ((performance.now() - began) / 1000);
    },
    async remove() {
      await storage.close();
      await dropSchema(directory);
      removeDirectory(directory);
    },
  };
}

async function enqueue(storage: Storage, workspaceId: string, endpointId: string): Promise<void> {
  const now = Date.now();
  const id = newId('evt', now);
  const payload = JSON.stringify({ id, type: 'message.sent', text: 'hello world '.repeat(40) });
  const event = { id, workspaceId, type: 'message.sent', occurredAt: now * 1000, payload } as const;
  await storage.deliveries.enqueue(endpointId, event);
}

async function drainSome({ deliveries }: Storage, limit: number): Promise<number> {
  const now = Date.now();
  const { claimed } = await deliveries.claim({
    now,
    limit,
    leaseMs: 60_000,
    slots: 2,
    // The bench must not measure the throttle.
    startsPerWindow: 1_000_000,
    windowMs: 1,
  });
  const completions = claimed.map((one) => received(one, now));
  return completions.length === 0 ? 0 : deliveries.complete(completions, now);
}

function received({ delivery, token, endpoint }: ClaimedDelivery, at: number): Completion {
  const outcome = { status: 'success', nextRetryAt: null, responseStatus: 200, errorCode: null } as const;
  return {
    token,
    delivery: { ...delivery, ...outcome, attempts: 1, lastAttemptAt: at, deliveredAt: at },
    attempt: {
      number: 1,
      manual: false,
      url: endpoint.url,
      responseStatus: 200,
      responseBody: 'ok',
      durationMs: 5,
      errorCode: null,
      at,
    },
  };
}
