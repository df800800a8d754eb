import * as z from 'zod';
import { pageFields, storableText } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

/** The largest number of code points of a reaction: twice those of the longest emoji. */
const EMOJI_MAX = 20;

/** A reaction to a message. */
export type ReactionInput = {
  /** One emoji. */
  readonly emoji: string;
};
export const reactionInput: z.ZodType<ReactionInput, unknown> = z.object({
  emoji: storableText(1, EMOJI_MAX)
    .refine(isEmoji, 'Must be one emoji.')
    .meta({ minLength: 1, maxLength: EMOJI_MAX }),
});

/** Selects a page of the actions on a message. */
export type ActionQuery = PageQuery;
export const actionQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);

/** Whether a text is one emoji, in any of the forms in which keyboards write it. */
function isEmoji(text: string): boolean {
  const [first, ...others] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  return first !== undefined && others.length === 0 && EMOJI.test(text);
}

/** A picture, a flag of two letters, or a keycap. */
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\u{FE0F}?\u{20E3})/u;
