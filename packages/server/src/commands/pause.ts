import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms` milliseconds; rejects with the signal's reason once the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
