import type { Instance } from './instance.ts';

/** How long a number is down before somebody is notified, by default. */
export const DOWN_AFTER_MS: number = 15 * 60_000;

/**
 * Since when a number has been down: it is linked and meant to run, and is not connected. What the network or its phone
 * has ended is down until it is connected again. What was stopped on request is not meant to run.
 */
export type Outage = Pick<Instance, 'downSince' | 'downNotifiedAt'>;

export const NO_OUTAGE: Outage = { downSince: null, downNotifiedAt: null };

/** The outage after a change, which somebody may have asked for. */
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
