import { LOOKUP_KEPT_MS } from '../domain/instance/number-lookup.ts';
import { NO_METHOD } from '../domain/instance/instance-call.ts';
import type { CallResponse } from '../domain/instance/instance-call.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OpenConnection } from './connections.ts';
import { createTurns } from './turns.ts';

/**
 * How many numbers an instance may look up in a day. This is enough for the customers of a day, and too few to collect
 * numbers, which networks take for the preparation of spam.
 */
const NUMBERS_PER_DAY = 500;

/** Looks up numbers on the network, for one instance one after another. */
export interface NumberLookups {
  /** Asks nothing once `until` has passed, because the caller has given up. */
  lookUp(open: OpenConnection, numbers: readonly string[], until: number): Promise<CallResponse>;
}

export function createNumberLookups({ storage, clock }: ServiceContext): NumberLookups {
  const turns = createTurns(clock, 'lookups');

  const lookUpNow = async (
    { lease, instance, connection }: OpenConnection,
    numbers: readonly string[],
  ): Promise<{ readonly response: CallResponse; readonly hasAsked: boolean }> => {
    if (!connection.lookUp) return { response: NO_METHOD, hasAsked: false };
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
    lookUp: (open, numbers, until) => turns.take(open.lease, until, () => lookUpNow(open, numbers)),
  };
}
