import type { Event, EventType } from '../domain/event/event.ts';
import type { NewId } from '../domain/id.ts';
import { eventBody } from '../resources/event.ts';
import type { EventData } from '../resources/event.ts';

/** Makes the event of a change, with the body that every receiver will get. */
export type NewEvent = <Type extends EventType>(what: {
  readonly type: Type;
  readonly workspaceId: string;
  readonly data: EventData<Type>;
  /** Epoch milliseconds. */
  readonly now: number;
}) => Event;

/** Further ahead than this (microseconds), the clock was set back: waiting for it would hold up every delivery. */
const FURTHEST_AHEAD = 1_000_000;

/** Within one process no two events have the same time, so that `created_at` tells which came first. */
export function createNewEvent(newId: NewId): NewEvent {
  let last = 0;
  return ({ type, workspaceId, data, now }) => {
    const occurredAt = last - now * 1000 > FURTHEST_AHEAD ? now * 1000 : Math.max(now * 1000, last + 1);
    last = occurredAt;
    const id = newId('evt', now);
    return {
      id,
      type,
      workspaceId,
      occurredAt,
      payload: eventBody({ id, type, occurredAt, workspaceId, data }),
    };
  };
}
