import type { MessagePayloads } from '@trunkline/receiver';
import * as z from 'zod';
import { optionalField, wordsWithin } from '../../inputs/fields.ts';
import { payloadSending } from './message-kind.ts';
import type { SendableKindRules } from './message-kind.ts';
import type { SendPayloadInput } from './send-input.ts';

/** A poll. */
export interface SendPollInput extends SendPayloadInput {
  /** Always `poll`. */
  readonly kind: 'poll';
  /** The question and its answers. */
  readonly payload: {
    /** The question, 1 to 255 characters. */
    readonly question: string;
    /** The answers to choose from: 2 to 12 different ones, each of 1 to 100 characters. */
    readonly options: readonly string[];
    /** Whether a person can choose more than one answer. Default false. */
    readonly multiple?: boolean | null | undefined;
  };
}

// The limits of WhatsApp's own apps.
const QUESTION_MAX = 255;
const OPTION_MAX = 100;
const OPTIONS_MIN = 2;
const OPTIONS_MAX = 12;

const words = ({ question, options }: MessagePayloads['poll']): string =>
  `Poll: ${question} (${options.join(', ')})`;

export const poll: SendableKindRules<'poll'> = {
  payload: z.strictObject({ question: z.string(), options: z.array(z.string()), multiple: z.boolean() }),
  words,
  sending: payloadSending({
    kind: 'poll',
    capability: 'polls',
    words,
    payload: z
      .object({
        question: wordsWithin(QUESTION_MAX),
        options: z
          .array(wordsWithin(OPTION_MAX))
          .min(OPTIONS_MIN, `Must have at least ${OPTIONS_MIN} answers.`)
          .max(OPTIONS_MAX, `Must have at most ${OPTIONS_MAX} answers.`)
          // Phones know an answer by its text.
          .refine((options) => new Set(options).size === options.length, 'Must have no answer twice.'),
        multiple: optionalField(z.boolean()),
      })
      .transform(({ multiple = false, ...asked }) => ({ ...asked, multiple })),
  }),
};
