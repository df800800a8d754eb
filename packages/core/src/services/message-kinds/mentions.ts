import * as z from 'zod';
import { parseRecipient } from '../../domain/message/recipient.ts';
import { absentField, optionalField } from '../../inputs/fields.ts';

/** Each mention of a contact costs a look-up. */
const MENTIONS_MAX = 256;

/** The mentions in a message; undefined without any. Numbers become digits, and each person is listed once. */
export const mentionsField: z.ZodType<readonly string[] | undefined, unknown> = optionalField(
  z
    .preprocess(
      // In a form, every value is a string.
      (list) => (typeof list === 'string' ? list.split(',') : list),
      z.array(z.string()).max(MENTIONS_MAX, `Must have at most ${MENTIONS_MAX} mentions.`),
    )
    .transform((list, context): readonly string[] => {
      const named = list.map(mentioned);
      const wrong = named.indexOf(null);
      if (wrong >= 0)
        context.addIssue(
          `Must have only phone numbers and ids of contacts (con_…): mention ${wrong + 1} is neither.`,
        );
      return [...new Set(named.filter((one) => one !== null))];
    }),
).transform((list) => (list?.length === 0 ? undefined : list));

/** The error for mentions without words that could have them. */
export const NO_WORDS =
  'Must be given only with a text, or with a caption of an image, a document or a video.';

/** The field of a message that has no words. */
export const noMentions: z.ZodType<undefined, unknown> = absentField(NO_WORDS);

/** The stored form of mentions. */
export const storedMentions: z.ZodType<readonly string[]> = z.array(z.string());

function mentioned(who: string): string | null {
  const read = parseRecipient(who);
  if (!read.ok || read.value.kind === 'group') return null;
  return read.value.kind === 'number' ? read.value.digits : read.value.contactId;
}
