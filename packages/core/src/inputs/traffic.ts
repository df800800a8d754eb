import * as z from 'zod';
import { TRAFFIC_STEPS } from '../domain/traffic/traffic.ts';
import type { TrafficStep } from '../domain/traffic/traffic.ts';
import { timeField } from './fields.ts';

/** The maximum number of objects whose traffic one call reads. */
export const TRAFFIC_OBJECTS_MAX = 100;
const ID_LENGTH_MAX = 40;

/** Selects the periods of counts: those that have some time between `from` and `to`, at most 31 days apart. */
export type TrafficPeriodQuery = {
  /** An ISO 8601 time with its zone. By default, a day before `to`. */
  readonly from?: string | undefined;
  /** An ISO 8601 time with its zone. By default now. */
  readonly to?: string | undefined;
  /** The length of a period: `quarter` of an hour by default, `hour` or `day`. */
  readonly step?: TrafficStep | undefined;
};
export type CheckedTrafficPeriod = {
  /** Epoch milliseconds. */
  readonly from?: number | undefined;
  /** Epoch milliseconds. */
  readonly to?: number | undefined;
  readonly step: TrafficStep;
};
const periodFields = {
  from: timeField(' In a URL, write + as %2B.').optional(),
  to: timeField(' In a URL, write + as %2B.').optional(),
  step: z.enum(TRAFFIC_STEPS).default('quarter'),
};
export const trafficPeriodQuery: z.ZodType<CheckedTrafficPeriod, unknown> = z.object(periodFields);

const ids = z
  .string()
  .min(1)
  .max(TRAFFIC_OBJECTS_MAX * ID_LENGTH_MAX)
  .transform((list) => [...new Set(list.split(','))])
  .pipe(z.array(z.string()).max(TRAFFIC_OBJECTS_MAX, `Must have at most ${TRAFFIC_OBJECTS_MAX} ids.`))
  .optional();

/** Selects counts of messages. */
export type TrafficQuery = TrafficPeriodQuery & {
  /** The ids of at most 100 instances, separated by commas. By default, the whole workspace is counted together. */
  readonly instance?: string | undefined;
};
export type CheckedTrafficQuery = CheckedTrafficPeriod & {
  readonly instance?: readonly string[] | undefined;
};
export const trafficQuery: z.ZodType<CheckedTrafficQuery, unknown> = z.object({
  instance: ids,
  ...periodFields,
});

/** Selects counts of webhooks. */
export type WebhookTrafficQuery = TrafficPeriodQuery & {
  /** The ids of at most 100 webhooks, separated by commas. By default, the newest 100. */
  readonly webhook?: string | undefined;
};
export type CheckedWebhookTrafficQuery = CheckedTrafficPeriod & {
  readonly webhook?: readonly string[] | undefined;
};
export const webhookTrafficQuery: z.ZodType<CheckedWebhookTrafficQuery, unknown> = z.object({
  webhook: ids,
  ...periodFields,
});
