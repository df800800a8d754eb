import { DEFAULT_PLAN } from '@trunkline/core/spi/storage';
import type { ClaimedDelivery, Completion, DeliveryClaim, Storage } from '@trunkline/core/spi/storage';
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
  /**
   * Returns how many deliveries were claimed and completed per second: each claim together with the previous outcomes,
   * as the service does, or in transactions of their own.
   */
  drain(count: number, how?: 'together' | 'apart'): Promise<number>;
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
    async drain(count, how = 'together') {
      let left = count;
      const began = performance.now();
      const claimAndComplete = async (): Promise<void> => {
        let outcomes: readonly Completion[] = [];
        while (left > 0) {
          const claim = claimAt(Date.now(), Math.min(CLAIM, left));
          const step = how === 'together' ? completeAndClaim : completeThenClaim;
          const { completed, claimed } = await step(storage, outcomes, claim);
          left -= completed;
          outcomes = claimed.map((one) => received(one, claim.now));
        }
        await storage.deliveries.complete(outcomes, Date.now());
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

function claimAt(now: number, limit: number): DeliveryClaim {
  // The bench must not measure the throttle.
  return { now, limit, leaseMs: 60_000, slots: 2, startsPerWindow: 1_000_000, windowMs: 1 };
}

interface Drained {
  readonly completed: number;
  readonly claimed: readonly ClaimedDelivery[];
}

async function completeAndClaim(
  { deliveries }: Storage,
  outcomes: readonly Completion[],
  claim: DeliveryClaim,
): Promise<Drained> {
  const { completed, claimed } = await deliveries.completeAndClaim(outcomes, claim);
  const busy = outcomes.filter((_, index) => completed[index] === 'busy');
  const late = busy.length === 0 ? 0 : await deliveries.complete(busy, claim.now);
  return { completed: completed.filter((one) => one === 'written').length + late, claimed };
}

async function completeThenClaim(
  { deliveries }: Storage,
  outcomes: readonly Completion[],
  claim: DeliveryClaim,
): Promise<Drained> {
  const completed = outcomes.length === 0 ? 0 : await deliveries.complete(outcomes, claim.now);
  return { completed, claimed: (await deliveries.claim(claim)).claimed };
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
