import { setTimeout } from 'node:timers/promises';
import type { Choices } from './choices.ts';
import type { Load } from './load.ts';
import { call } from './set-up.ts';

const LOOK_EVERY_MS = 50;

export interface StatusWatch {
  /** The statuses that were read for each message, in order, without consecutive repeats. */
  readonly statuses: ReadonlyMap<string, readonly string[]>;
  /** Reads each message's status a last time. */
  stop(): Promise<void>;
}

/**
 * Reads statuses of messages through random API processes, one request at a time, so that the responses are in order.
 */
export function watchStatuses(load: Load, urls: () => readonly string[], random: Choices): StatusWatch {
  const statuses = new Map<string, string[]>();
  let isStopped = false;

  const look = async (messageId: string): Promise<void> => {
    const { status } = await call(random.of(urls()), 'GET', `/messages/${messageId}`);
    const seen = statuses.get(messageId) ?? [];
    if (seen.at(-1) !== status) statuses.set(messageId, [...seen, status]);
  };

  const watch = async (): Promise<void> => {
    while (!isStopped) {
      await setTimeout(LOOK_EVERY_MS);
      // Mostly the newest messages, which are probably still in flight.
      const recent = load.accepted.slice(random.chance(0.8) ? -10 : 0);
      // An API that is dead, frozen or cut off reports no status.
      if (recent.length > 0) await look(random.of(recent).messageId).catch(() => undefined);
    }
  };
  const watching = watch();

  return {
    statuses,
    async stop() {
      isStopped = true;
      await watching;
      for (const { messageId } of load.accepted) await look(messageId);
    },
  };
}
