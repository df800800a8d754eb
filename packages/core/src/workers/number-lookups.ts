import { LOOKUP_KEPT_MS } from '../domain/instance/number-lookup.ts';
import type { CallResponse } from '../domain/instance/instance-call.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { pause, settledWithin } from '../runtime/deadline.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OpenConnection } from './connections.ts';

/**
 * How many numbers an instance may look up in a day. This is enough for the customers of a day, and too few to collect
 * numbers, which networks take for the preparation of spam.
 */
const NUMBERS_PER_DAY = 500;
/** The time between the end of a query and the next one of the instance. */
const PAUSE_MS = 1_000;
/** How many lookups of one instance may wait for their turn. */
const WAITING_MAX = 10;
/** When to repeat a lookup that found too many waiting. */
const RETRY_AFTER_MS = 10_000;

/** Looks up numbers on the network, for one instance one after another. */
export interface NumberLookups {
  /** Asks nothing once `until` has passed, because the caller has given up. */
  lookUp(open: OpenConnection, numbers: readonly string[], until: number): Promise<CallResponse>;
}

interface Turns {
  /** Resolves when the instance may be asked again. */
  free: Promise<void>;
  waiting: number;
}

export function createNumberLookups({ storage, clock }: ServiceContext): NumberLookups {
  const all = new WeakMap<Lease, Turns>();

  const lookUpNow = async (
    { lease, instance, connection }: OpenConnection,
    numbers: readonly string[],
  ): Promise<{ readonly response: CallResponse; readonly hasAsked: boolean }> => {
    if (!connection.lookUp)
      return { response: { kind: 'failed', error: 'It cannot look up numbers' }, hasAsked: false };
    const { instanceId } = lease;
    const now = clock.now();
    const request = { numbers, now, limit: NUMBERS_PER_DAY };
    const decision = await storage.lookups.begin({ workspaceId: instance.workspaceId, instanceId }, request);
    if (decision.kind === 'limited') {
      const retryAfterMs = Math.min(decision.freeAt - now, LOOKUP_KEPT_MS);
      return { response: { kind: 'limited', limit: NUMBERS_PER_DAY, retryAfterMs }, hasAsked: false };
    }
    const { remembered, asked } = decision;
    if (asked.length === 0) return { response: { kind: 'done', numbers: remembered }, hasAsked: false };
    const found = await connection.lookUp(asked);
    await storage.lookups.finish(instanceId, found);
    return { response: { kind: 'done', numbers: [...remembered, ...found] }, hasAsked: true };
  };

  return {
    async lookUp(open, numbers, until) {
      const turns = all.get(open.lease) ?? { free: Promise.resolve(), waiting: 0 };
      all.set(open.lease, turns);
      if (turns.waiting >= WAITING_MAX)
        return { kind: 'limited', limit: WAITING_MAX, retryAfterMs: RETRY_AFTER_MS };
      const { promise, resolve } = Promise.withResolvers<void>();
      const { free } = turns;
      turns.free = promise;
      turns.waiting += 1;
      const isInTurn = await settledWithin(clock, Math.max(0, until - clock.now()), free);
      turns.waiting -= 1;
      if (!isInTurn) {
        void free.then(resolve);
        return { kind: 'failed', error: 'Other lookups of the instance took too long' };
      }
      let hasAsked = true;
      try {
        const looked = await lookUpNow(open, numbers);
        ({ hasAsked } = looked);
        return looked.response;
      } finally {
        if (hasAsked) void pause(clock, PAUSE_MS).then(resolve);
        else resolve();
      }
    },
  };
}
