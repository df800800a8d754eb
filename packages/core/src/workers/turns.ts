import type { Clock } from '../ports/clock.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { CallResponse } from '../domain/instance/instance-call.ts';
import { pause, settledWithin } from '../runtime/deadline.ts';

/** The time between the end of a request to the network and the next one of the instance. */
const PAUSE_MS = 1_000;
/** How many requests of one instance may wait for their turn. */
const WAITING_MAX = 10;
/** When to repeat a request that found too many waiting. */
const RETRY_AFTER_MS = 10_000;

/** Makes requests of one kind to a network, for one instance one after another. */
export interface Turns {
  /** Makes no request once `until` has passed, because the caller has given up. */
  take(lease: Lease, until: number, request: () => Promise<InTurn>): Promise<CallResponse>;
}

interface InTurn {
  readonly response: CallResponse;
  /** Whether the network was asked, so that the next one waits. */
  readonly hasAsked: boolean;
}

interface Queue {
  /** Resolves when the instance may be asked again. */
  free: Promise<void>;
  waiting: number;
}

/** `what` names the requests in a refusal, such as `lookups`. */
export function createTurns(clock: Clock, what: string): Turns {
  const queues = new WeakMap<Lease, Queue>();
  return {
    async take(lease, until, request) {
      const queue = queues.get(lease) ?? { free: Promise.resolve(), waiting: 0 };
      queues.set(lease, queue);
      if (queue.waiting >= WAITING_MAX)
        return { kind: 'limited', limit: WAITING_MAX, retryAfterMs: RETRY_AFTER_MS };
      const { promise, resolve } = Promise.withResolvers<void>();
      const { free } = queue;
      queue.free = promise;
      queue.waiting += 1;
      const isInTurn = await settledWithin(clock, Math.max(0, until - clock.now()), free);
      queue.waiting -= 1;
      if (!isInTurn) {
        void free.then(resolve);
        return { kind: 'failed', error: `Other ${what} of the instance took too long` };
      }
      let hasAsked = true;
      try {
        const made = await request();
        ({ hasAsked } = made);
        return made.response;
      } finally {
        if (hasAsked) void pause(clock, PAUSE_MS).then(resolve);
        else resolve();
      }
    },
  };
}
