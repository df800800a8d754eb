import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignalDataSet } from '@whiskeysockets/baileys';

/**
 * A message that Baileys encrypts and writes. All sessions that can be had were started before, so that Baileys queries
 * none meanwhile.
 */
export interface Send {
  /** The changes to store together with the first keys that encrypt the message; null if it is on its way. */
  record: SignalDataSet | null;
  /** For a message to a group, the devices that have our key, or cannot get it; null for any other message. */
  readonly holders: Readonly<Record<string, boolean>> | null;
  /** The devices for which a copy was encrypted. */
  readonly encryptedFor: Set<string>;
  /** Whether the message was encrypted with keys that are not stored yet. */
  isAhead: boolean;
  /** Called when the keys are stored, before the message is written. */
  readonly writing: () => void;
}

const current = new AsyncLocalStorage<{ send: Send | null }>();

/** Runs the work that encrypts and writes this message. Work that outlasts it is not part of the send. */
export async function withinSend<Result>(send: Send, work: () => Promise<Result>): Promise<Result> {
  const place: { send: Send | null } = { send };
  return current.run(place, async () => {
    try {
      return await work();
    } finally {
      place.send = null;
    }
  });
}

export function currentSend(): Send | null {
  return current.getStore()?.send ?? null;
}
