import type { QueueResource } from '../../../src/schemas/queues.ts';

/** The service counts no further. */
const COUNTED_TO = 1_000;
/** A number that works takes some seconds for a message. */
const SLOW_AFTER_MS = 60_000;

export function queueCount(locale: string, queued: number): string {
  return `${new Intl.NumberFormat(locale).format(queued)}${queued >= COUNTED_TO ? '+' : ''}`;
}

/** Whether something waits there for longer than it should. */
export function isSlow({ oldest }: QueueResource, now: number): boolean {
  return oldest !== null && now - Date.parse(oldest.since) > SLOW_AFTER_MS;
}
