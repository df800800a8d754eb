import { floorId, isId, orderOfId } from '../../domain/id.ts';

/**
 * How long after it was made an event may be committed, and others with later ids before it. Whoever reads the log
 * onwards looks back this far for events that have come late.
 */
const LOOK_BACK_MS = 60_000;

/**
 * Where to look back from a position in the log. A clock that was set back makes ids that sort before earlier ones: so
 * never from later than `now`.
 */
export function lookBackFrom(position: string, now: number): string {
  return floorId('evt', Math.min(timeOf(position), now) - LOOK_BACK_MS);
}

/** The position in the log at a time: the id of no event, but in the form of one. */
export function positionAt(now: number): string {
  return floorId('evt', now);
}

/** Whether `positionAt` has made it: no event has such an id, which lacks the version of a UUID. */
export function isPosition(id: string): boolean {
  return isId('evt', id) && floorId('evt', timeOf(id)) === id;
}

/** Epoch milliseconds. */
export function timeOf(id: string): number {
  return orderOfId('evt', id).ms;
}

/** No id sorts after it. */
export const LAST_ID: string = `evt_7${'z'.repeat(25)}`;
