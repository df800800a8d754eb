import type {
  AttemptCounts,
  DurationsResource,
  MessageCounts,
  TrafficResource,
  WebhookTrafficResource,
} from '@trunkline/core';
import { TRAFFIC_STEPS } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { count, id, timestamp } from './fields.ts';
import type { Resource } from './response-body.ts';

/** The descriptions of the query parameters that select periods. */
export const PERIOD_PARAMETERS = {
  from: 'A time, at most 31 days before `to`, in the first period. By default a day before `to`. All ids together may have at most 10,000 quarters of an hour: a hundred ids for a day, or three for a month.',
  to: 'A time: the last period is the one before it, or the one that it is within. By default now.',
  step: 'The length of a period, in UTC: `quarter` of an hour by default, `hour` or `day`.',
} as const;

const estimate = z
  .int()
  .min(0)
  .nullable()
  .meta({ description: 'Estimated from the classes; in the last class its lower end. Null without any.' });

const durations = exactSchema<DurationsResource>()(
  z.strictObject({
    p50_ms: estimate,
    p95_ms: estimate,
    classes: z.array(count).length(8).meta({
      description: 'How many durations are in each class, the shortest first: see bounds_ms.',
    }),
  }),
);

const period = {
  from: timestamp.meta({ description: 'The beginning of the first period.' }),
  to: timestamp.meta({ description: 'The end of the last period.' }),
  step: z.enum(TRAFFIC_STEPS),
  bounds_ms: z.array(count).length(7).meta({
    description: 'The upper ends of the classes of duration, except the last one, which has none.',
  }),
};

const periods = <Counts extends z.ZodRawShape>(counts: Counts) =>
  z.array(z.strictObject({ start: timestamp, ...counts })).meta({
    description: 'The periods that have counts, oldest first. Periods without are left out.',
  });

const messageCounts = {
  received: count,
  sent: count.meta({ description: 'Accepted by the network. Messages sent with the phone are not counted.' }),
  delivered: count,
  read: count,
  failed: z.record(z.string(), count).meta({ description: 'By the code of the error.' }),
  time_to_network: durations.meta({
    description: 'From the acceptance of a message, or its send_at, until the network accepted it.',
  }),
} satisfies { readonly [Name in keyof MessageCounts]: z.ZodType<MessageCounts[Name]> };

const attemptCounts = {
  succeeded: count,
  failed: z.record(z.string(), count).meta({
    description:
      'By the error_code of the attempt; HTTP_ERROR is divided into HTTP_4XX, HTTP_5XX and the rest.',
  }),
  duration: durations.meta({ description: 'How long the attempts took.' }),
} satisfies { readonly [Name in keyof AttemptCounts]: z.ZodType<AttemptCounts[Name]> };

const EXAMPLE_MESSAGES: MessageCounts = {
  received: 4,
  sent: 12,
  delivered: 11,
  read: 7,
  failed: { not_on_network: 1 },
  time_to_network: { p50_ms: 167, p95_ms: 460, classes: [3, 6, 3, 0, 0, 0, 0, 0] },
};

const EXAMPLE_ATTEMPTS: AttemptCounts = {
  succeeded: 9,
  failed: { HTTP_5XX: 1 },
  duration: { p50_ms: 75, p95_ms: 438, classes: [2, 6, 0, 2, 0, 0, 0, 0] },
};

const EXAMPLE_PERIOD = {
  from: '2026-11-20T21:00:00.000+00:00',
  to: '2026-11-20T22:00:00.000+00:00',
  step: 'quarter',
} as const;
const START = '2026-11-20T21:15:00.000+00:00';

export const traffic: Resource<TrafficResource> = {
  name: 'Traffic',
  schema: exactSchema<TrafficResource>()(
    z.strictObject({
      instance_id: id('ins').nullable().meta({ description: 'Null for the whole workspace.' }),
      ...period,
      total: z.strictObject(messageCounts).meta({ description: 'All periods together.' }),
      periods: periods(messageCounts),
    }),
  ),
  example: {
    instance_id: null,
    ...EXAMPLE_PERIOD,
    bounds_ms: [100, 250, 500, 1_000, 5_000, 30_000, 300_000],
    total: EXAMPLE_MESSAGES,
    periods: [{ start: START, ...EXAMPLE_MESSAGES }],
  },
};

export const webhookTraffic: Resource<WebhookTrafficResource> = {
  name: 'WebhookTraffic',
  schema: exactSchema<WebhookTrafficResource>()(
    z.strictObject({
      webhook_id: id('wh'),
      ...period,
      total: z.strictObject(attemptCounts).meta({ description: 'All periods together.' }),
      periods: periods(attemptCounts),
    }),
  ),
  example: {
    webhook_id: 'wh_01kaj2p9v6e8gr5d0mz7q4xw1c',
    ...EXAMPLE_PERIOD,
    bounds_ms: [50, 100, 250, 500, 1_000, 2_500, 5_000],
    total: EXAMPLE_ATTEMPTS,
    periods: [{ start: START, ...EXAMPLE_ATTEMPTS }],
  },
};
