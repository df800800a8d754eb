import type { Instance } from './instance.ts';

/** How long a number is down before a notification, by default. */
export const DOWN_AFTER_MS: number = 15 * 60_000;

/**
 * When the outage of a number began, and when its notification was decided. A number is down if it is linked and meant
 * to run, and is not connected. A number that the network or the phone has stopped is down until it is connected again.
 * A number that was stopped on request is not down.
 */
export type Outage = Pick<Instance, 'downSince' | 'downNotifiedAt'>;

export const NO_OUTAGE: Outage = { downSince: null, downNotifiedAt: null };

/** The outage after a change; `isOnRequest` if a requested operation caused it. */
export function outageAfter(
  before: Instance,
  after: Instance,
  { isOnRequest, now }: { readonly isOnRequest: boolean; readonly now: number },
): Outage {
  if (after.status === 'connected') return NO_OUTAGE;
  if (after.desired === 'stopped' && isOnRequest) return NO_OUTAGE;
  const { downSince, downNotifiedAt } = before;
  if (downSince !== null) return { downSince, downNotifiedAt };
  const wasMeantToRun = before.desired === 'running' || after.desired === 'running';
  return wasMeantToRun && before.phoneNumber !== null ? { ...NO_OUTAGE, downSince: now } : NO_OUTAGE;
}
