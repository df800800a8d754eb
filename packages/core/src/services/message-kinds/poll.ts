import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

export const poll: KindRules<'poll'> = {
  payload: z.strictObject({ question: z.string(), options: z.array(z.string()) }),
  words: ({ question, options }) => `Poll: ${question} (${options.join(', ')})`,
  sending: null,
};
