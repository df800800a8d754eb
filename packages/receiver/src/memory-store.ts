import type { EventStore } from './event-store.ts';

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** How many of the latest handled events to remember. 100,000 by default, which take about 20 MB. */
  readonly maxEvents?: number;
  /** Returns epoch milliseconds. The system's clock by default. */
  readonly now?: () => number;
}

/** A store for one process. It forgets everything when the process ends. */
export function memoryStore({ maxEvents = 100_000, now = Date.now }: MemoryStoreOptions = {}): EventStore {
  if (!Number.isInteger(maxEvents) || maxEvents < 1) {
    throw new TypeError('memoryStore: maxEvents must be a whole number, 1 or more.');
  }
  // A Map keeps the order of insertion, so its first entry expires first.
  const claims = new Map<string, { readonly token: string; readonly until: number }>();
  const done = new Map<string, { readonly until: number }>();

  return {
    claim: async (eventId, { token, leaseSeconds }) => {
      forgetExpired(claims, now());
      forgetExpired(done, now());
      if (isHeld(done.get(eventId), now())) return 'done';
      if (isHeld(claims.get(eventId), now())) return 'in_progress';
      claims.delete(eventId);
      claims.set(eventId, { token, until: now() + leaseSeconds * 1000 });
      return 'claimed';
    },
    markDone: async (eventId, keepSeconds) => {
      claims.delete(eventId);
      done.delete(eventId);
      done.set(eventId, { until: now() + keepSeconds * 1000 });
      for (const oldest of done.keys()) {
        if (done.size <= maxEvents) break;
        done.delete(oldest);
      }
    },
    release: async (eventId, token) => {
      if (claims.get(eventId)?.token === token) claims.delete(eventId);
    },
  };
}

function isHeld(entry: { readonly until: number } | undefined, now: number): boolean {
  return entry !== undefined && entry.until > now;
}

function forgetExpired(entries: Map<string, { readonly until: number }>, now: number): void {
  for (const [eventId, entry] of entries) {
    if (isHeld(entry, now)) break;
    entries.delete(eventId);
  }
}
