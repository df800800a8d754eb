import type { QueueResource } from '../../../src/schemas/queues.ts';

/** The service stops counting at this number. */
const COUNTED_TO = 1_000;
/** A working number takes only a few seconds per message, so a longer wait is a problem. */
const SLOW_AFTER_MS = 60_000;

export function queueCount(locale: string, queued: number): string {
  return `${new Intl.NumberFormat(locale).format(queued)}${queued >= COUNTED_TO ? '+' : ''}`;
}

export function isSlow({ oldest }: QueueResource, now: number): boolean {
  return oldest !== null && now - Date.parse(oldest.since) > SLOW_AFTER_MS;
}
