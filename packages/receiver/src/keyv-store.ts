import type { EventStore } from './event-store.ts';

/** The methods of Keyv that the store uses; any object with them works. */
export interface KeyvLike {
  /** Resolves with the value; undefined or null if it is missing or has expired. */
  get(key: string): Promise<unknown>;
  /** Stores the value for `ttl` milliseconds. */
  set(key: string, value: string, ttl: number): Promise<unknown>;
  /** Deletes the value, if any. */
  delete(key: string): Promise<unknown>;
}

/**
 * A store on any Keyv, with the backend that you choose: `keyvStore(new Keyv(…))`.
 *
 * Keyv has no "set if absent", so claims are exclusive only within one process. If two processes get the same event
 * within the milliseconds between `get` and `set`, both handle it. That takes a manual retry, or two endpoints with the
 * same receiver, because the sender makes one attempt at a time for a delivery. If it matters, use an atomic store
 * (README).
 */
export function keyvStore(keyv: KeyvLike): EventStore {
  const beingClaimed = new Set<string>();

  return {
    claim: async (eventId, { token, leaseSeconds }) => {
      if (beingClaimed.has(eventId)) return 'in_progress';
      beingClaimed.add(eventId);
      try {
        const held = await keyv.get(eventId);
        if (held !== undefined && held !== null) return held === DONE ? 'done' : 'in_progress';
        await write(keyv, eventId, token, leaseSeconds);
        return 'claimed';
      } finally {
        beingClaimed.delete(eventId);
      }
    },
    markDone: (eventId, keepSeconds) => write(keyv, eventId, DONE, keepSeconds),
    release: async (eventId, token) => {
      if ((await keyv.get(eventId)) === token) await keyv.delete(eventId);
    },
  };
}

const DONE = 'done';

async function write(keyv: KeyvLike, eventId: string, value: string, seconds: number): Promise<void> {
  // A Keyv whose backend is down emits `error` and resolves with false.
  if ((await keyv.set(eventId, value, seconds * 1000)) === false) {
    throw new Error(
      'Keyv could not store the id of an event: check its backend. The sender sends the event again.',
    );
  }
}
