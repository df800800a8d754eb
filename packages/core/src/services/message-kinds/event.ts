import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

export const event: KindRules<'event'> = {
  payload: z.strictObject({
    name: z.string(),
    description: z.string().nullable(),
    starts_at: z.string().nullable(),
  }),
  words: ({ name, starts_at: startsAt }) => `Event: ${[name, startsAt].filter(Boolean).join(', ')}`,
  sending: null,
};
