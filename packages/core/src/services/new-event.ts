import type { EventRecord, EventSubject, EventType } from '../domain/event/event.ts';
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
  /** The trace context of the message that the event is about (W3C `traceparent`). */
  readonly traceparent?: string | null;
}) => EventRecord;

/**
 * If events are more than this many microseconds ahead of the clock, the clock was set back. To stay ahead
 * would hold up every delivery.
 */
const FURTHEST_AHEAD = 1_000_000;

/**
 * Gives each event of a process a different time, so that `created_at` shows which came first. The events of
 * a failing queue get their times from `QueueFailure`. Later events may repeat these times without harm,
 * because each event of the queue is the last of its message.
 */
export function createNewEvent(newId: NewId): NewEvent {
  let last = 0;
  return ({ type, workspaceId, data, now, traceparent = null }) => {
    const occurredAt = last - now * 1000 > FURTHEST_AHEAD ? now * 1000 : Math.max(now * 1000, last + 1);
    last = occurredAt;
    return eventOf({ id: newId('evt', now), type, occurredAt, workspaceId, data }, traceparent);
  };
}

export function eventOf<Type extends EventType>(
  what: Parameters<typeof eventBody<Type>>[0],
  traceparent: string | null,
): EventRecord {
  const { id, type, workspaceId, occurredAt, data } = what;
  return {
    id,
    type,
    workspaceId,
    occurredAt,
    payload: eventBody(what),
    subject: subjectOf(data),
    traceparent,
  };
}

function subjectOf(data: EventData<EventType>): EventSubject {
  if ('message' in data) return { instanceId: data.message.instance_id, messageId: data.message.id };
  if ('instance' in data) return { instanceId: data.instance.id, messageId: null };
  if ('undecryptable' in data) return { instanceId: data.undecryptable.instance_id, messageId: null };
  if ('call' in data) return { instanceId: data.call.instance_id, messageId: null };
  return { instanceId: null, messageId: null };
}
