import * as z from 'zod';
import { NAMEABLE_EVENT_TYPES } from '../domain/event/event.ts';
import type { SubscribableEventType } from '../domain/event/event.ts';
import { idPattern } from '../domain/id.ts';
import { pageFields } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

/** The length of the names of all types, with commas. */
const TYPES_MAX = NAMEABLE_EVENT_TYPES.join(',').length;

const types = z
  .string()
  .min(1)
  .max(TYPES_MAX)
  .transform((list) => list.split(','))
  .pipe(
    z
      .array(z.enum(NAMEABLE_EVENT_TYPES))
      .refine((names) => new Set(names).size === names.length, 'Must not repeat a name.'),
  )
  .optional();
type CheckedTypes = { readonly types?: readonly SubscribableEventType[] | undefined };

type EventFilterQuery = {
  /** Only events of these types, separated by commas. */
  readonly types?: string | undefined;
};
/** Selects a page of events, by type. */
export type EventQuery = EventFilterQuery & PageQuery;
export const eventQuery: z.ZodType<CheckedTypes & CheckedPageQuery, unknown> = z.object({
  types,
  ...pageFields,
});

/** Selects a page of events. */
export type EventPageQuery = PageQuery;
export const eventPageQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);

/** Selects the events of a stream, and where it begins. */
export type EventStreamQuery = {
  /** The event types, separated by commas. By default, those of the specification. */
  readonly types?: string | undefined;
  /** Where to begin: the `position` of an earlier stream, or the id of its last event. By default, now. */
  readonly last_event_id?: string | undefined;
};
export const eventStreamQuery: z.ZodType<
  CheckedTypes & { readonly last_event_id?: string | undefined },
  unknown
> = z.object({
  types,
  last_event_id: z
    .string()
    .regex(idPattern('evt'), 'Must be the id of an event, as in the `id:` of the stream.')
    .optional(),
});
