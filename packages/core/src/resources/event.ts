import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent, WebhookEventOf } from '@trunkline/receiver';
import type { Event, EventType } from '../domain/event/event.ts';
import { eventTime } from './time.ts';

/** The data of an event of this type. */
export type EventData<Type extends EventType> = WebhookEventOf<Type>['data'];

/** The JSON body that receivers get: exactly these five fields, in this order (specification, "Request the receiver gets"). */
export function eventBody<Type extends EventType>(event: {
  readonly id: string;
  readonly type: Type;
  /** Epoch microseconds. */
  readonly occurredAt: number;
  readonly workspaceId: string;
  readonly data: EventData<Type>;
}): string {
  const body: WebhookEventOf<Type> = {
    id: event.id,
    type: event.type,
    created_at: eventTime(event.occurredAt),
    workspace_id: event.workspaceId,
    data: event.data,
  };
  return JSON.stringify(body);
}

/** The parsed body, as receivers read it. Throws if the body is damaged. */
export function eventResource({ id, payload }: Event): WebhookEvent {
  const read = readEvent(payload);
  if (read.ok) return read.event;
  throw new Error(
    `The body of the event ${id} cannot be read (${read.reason}): check the database for damage.`,
  );
}
