import { floorId, isId, orderOfId } from '../../domain/id.ts';

/**
 * The longest time from an event's creation to its commit; events with later ids may be committed first.
 * Readers that follow the log look back this far for late events.
 */
const LOOK_BACK_MS = 60_000;

/**
 * Returns where to start looking for late events if the log was read up to `position`. After the clock was
 * set back, new ids sort before earlier ones, so `now` limits the result, too.
 */
export function lookBackFrom(position: string, now: number): string {
  return floorId('evt', Math.min(timeOf(position), now) - LOOK_BACK_MS);
}

/** The position in the log at a time, in the form of an event id. */
export function positionAt(now: number): string {
  return floorId('evt', now);
}

/** Whether `positionAt` made the id. Unlike the id of an event, a position has no UUID version. */
export function isPosition(id: string): boolean {
  return isId('evt', id) && floorId('evt', timeOf(id)) === id;
}

/** Epoch milliseconds. */
export function timeOf(id: string): number {
  return orderOfId('evt', id).ms;
}

/** The largest possible id. */
export const LAST_ID: string = `evt_7${'z'.repeat(25)}`;
