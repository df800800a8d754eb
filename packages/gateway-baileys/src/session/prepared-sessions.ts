import { AsyncLocalStorage } from 'node:async_hooks';

const prepared = new AsyncLocalStorage<true>();

/**
 * Runs work for which all sessions that can be had were started before. Otherwise, Baileys would query the missing ones
 * while it holds the lock of all sends.
 */
export function withPreparedSessions<Result>(work: () => Promise<Result>): Promise<Result> {
  return prepared.run(true, work);
}

export function areSessionsPrepared(): boolean {
  return prepared.getStore() ?? false;
}
