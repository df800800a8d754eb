import * as z from 'zod';
import { EVENT_TYPES, NAMEABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { EventType, SubscribableEventType } from '../domain/event/event.ts';
import { idPattern } from '../domain/id.ts';
import { pageFields } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

type EventFilterQuery = {
  /** Only events of this type. */
  readonly type?: EventType | undefined;
};
/** A page of events, and which of them. */
export type EventQuery = EventFilterQuery & PageQuery;
export const eventQuery: z.ZodType<EventFilterQuery & CheckedPageQuery, unknown> = z.object({
  type: z.enum(EVENT_TYPES).optional(),
  ...pageFields,
});

/** A page of events. */
export type EventPageQuery = PageQuery;
export const eventPageQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);

/** The names of all types, with the commas between them. */
const TYPES_MAX = NAMEABLE_EVENT_TYPES.join(',').length;

/** `types`: a comma-separated list. */
export type EventStreamQuery = {
  /** The event types, separated by commas. By default, those of the specification. */
  readonly types?: string | undefined;
  /** Where to begin: the `position` of an earlier stream, or the id of its last event. By default, now. */
  readonly last_event_id?: string | undefined;
};
type CheckedEventStreamQuery = {
  readonly types?: readonly SubscribableEventType[] | undefined;
  readonly last_event_id?: string | undefined;
};
export const eventStreamQuery: z.ZodType<CheckedEventStreamQuery, unknown> = z.object({
  types: z
    .string()
    .min(1)
    .max(TYPES_MAX)
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(NAMEABLE_EVENT_TYPES)))
    .optional(),
  last_event_id: z
    .string()
    .regex(idPattern('evt'), 'Must be the id of an event, as in the `id:` of the stream.')
    .optional(),
});
