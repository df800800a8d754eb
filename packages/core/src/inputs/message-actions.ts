import * as z from 'zod';
import { CAPTION_MAX } from '../domain/message/message.ts';
import { optionalField, pageFields, storableText, wordsField } from './fields.ts';
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

/** The new text of a message, or the new caption of its file: exactly one of them. */
export type EditInput =
  | {
      /** 1 to 4,096 characters, not only white space. */
      readonly text: string;
    }
  | {
      /** At most 1,024 characters; empty to remove the caption. */
      readonly caption: string;
    };
export const editInput: z.ZodType<Words, unknown> = z
  .object({ text: optionalField(wordsField), caption: optionalField(storableText(0, CAPTION_MAX)) })
  .superRefine(({ text, caption }, context) => {
    if (text === undefined && caption === undefined)
      context.addIssue({ code: 'custom', path: ['text'], message: 'Is required, or a caption.' });
    if (text !== undefined && caption !== undefined)
      context.addIssue({ code: 'custom', path: ['caption'], message: 'Must not be given with a text.' });
  })
  .meta({ minProperties: 1 });

interface Words {
  readonly text?: string | undefined;
  readonly caption?: string | undefined;
}

/** Selects a page of the actions on a message. */
export type ActionQuery = PageQuery;
export const actionQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);

/** Selects a page of the votes in a poll. */
export type VoteQuery = PageQuery;
export const voteQuery: z.ZodType<CheckedPageQuery, unknown> = z.object(pageFields);

/** Whether a text is one emoji, in any of the forms in which keyboards write it. */
function isEmoji(text: string): boolean {
  const [first, ...others] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  return first !== undefined && others.length === 0 && EMOJI.test(text);
}

/** A picture, a flag of two letters, or a keycap. */
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\u{FE0F}?\u{20E3})/u;
