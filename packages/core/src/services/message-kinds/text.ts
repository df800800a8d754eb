import * as z from 'zod';
import { ok } from '../../domain/result.ts';
import { absentField, optionalField, wordsField } from '../../inputs/fields.ts';
import { readInput } from '../../inputs/read-input.ts';
import { NOT_AUDIO } from './files.ts';
import { noWords } from './message-kind.ts';
import type { SendableKindRules } from './message-kind.ts';
import { mentionsField, storedMentions } from './mentions.ts';
import type { CommonSendInput, Mentions } from './send-input.ts';

/** A text message. */
export interface SendTextInput extends CommonSendInput, Mentions {
  /** Always `text`. */
  readonly type: 'text';
  /** 1 to 4,096 characters, not only white space. */
  readonly text: string;
  /**
   * Whether the recipient sees a preview of the page that the first link leads to. True needs the option `linkPreviews`.
   * If omitted, that option decides.
   */
  readonly link_preview?: boolean | null | undefined;
}

type TextFields = {
  readonly text: string;
  readonly link_preview?: boolean | undefined;
  readonly mentions?: readonly string[] | undefined;
};
const textInput: z.ZodType<TextFields, unknown> = z.object({
  text: wordsField,
  voice: optionalField(z.literal(false, NOT_AUDIO)),
  link_preview: optionalField(z.boolean()),
  mentions: mentionsField,
  payload: absentField('Must be given only with a kind that has one, such as location.'),
});

export const text: SendableKindRules<'text'> = {
  payload: z
    .strictObject({ link_preview: z.boolean().exactOptional(), mentions: storedMentions.exactOptional() })
    .refine((fields) => Object.keys(fields).length > 0, 'Must be null without fields.')
    .nullable(),
  words: noWords,
  sending: {
    capability: 'text',
    type: 'text',
    input: textInput,
    hasFile: false,
    read: (input) => {
      const read = readInput(textInput, input);
      if (!read.ok) return read;
      const { text: words, link_preview: linkPreview, mentions } = read.value;
      return ok({
        // The fields that came later are left out without a value, so that keys that were used before stay valid.
        fingerprint: [words, ...(linkPreview === undefined ? [] : [linkPreview]), ...(mentions ?? [])],
        mentions,
        contentOf: () => ({
          type: 'text',
          kind: 'text',
          payload:
            linkPreview === undefined && mentions === undefined
              ? null
              : {
                  ...(linkPreview !== undefined && { link_preview: linkPreview }),
                  ...(mentions && { mentions }),
                },
          text: words,
          caption: null,
          media: null,
        }),
      });
    },
    outgoing: (message) => ({ content: { type: 'text', text: message.text ?? '' } }),
  },
};
