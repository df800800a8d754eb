import type { MessageStandingResource } from '@trunkline/core';
import { STANDINGS } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { timestamp, timestampOrNull } from './fields.ts';
import type { Resource } from './response-body.ts';

export const messageStanding: Resource<MessageStandingResource> = {
  name: 'MessageStanding',
  schema: exactSchema<MessageStandingResource>()(
    z.strictObject({
      code: z.enum(STANDINGS),
      since: timestamp.meta({ description: 'Since when the message has been there.' }),
      until: timestampOrNull.meta({
        description:
          'When the wait of the message ends at the earliest; null if that is not known, or if it does not wait.',
      }),
      sentence: z
        .string()
        .meta({ description: 'One to three sentences for a person, in English, with times in UTC.' }),
    }),
  ),
  example: {
    code: 'unconfirmed',
    since: '2026-11-20T14:02:11.000+00:00',
    until: null,
    sentence: 'The phone has not confirmed it since 14:02 UTC; it may be off.',
  },
};
