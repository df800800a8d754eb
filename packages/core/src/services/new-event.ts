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

/**
 * Within one process no two of these events have the same time, so that `created_at` shows which came first. Those of a
 * queue that fails go on from the event before them (`QueueFailure`), each the last of its message.
 */
export function createNewEvent(newId: NewId): NewEvent {
  let last = 0;
  return ({ type, workspaceId, data, now }) => {
    const occurredAt = last - now * 1000 > FURTHEST_AHEAD ? now * 1000 : Math.max(now * 1000, last + 1);
    last = occurredAt;
    return eventOf({ id: newId('evt', now), type, occurredAt, workspaceId, data });
  };
}

/** The event with the body that every receiver gets. */
export function eventOf<Type extends EventType>(what: Parameters<typeof eventBody<Type>>[0]): Event {
  const { id, type, workspaceId, occurredAt } = what;
  return { id, type, workspaceId, occurredAt, payload: eventBody(what) };
}
