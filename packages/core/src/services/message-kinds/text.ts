import * as z from 'zod';
import { ok } from '../../domain/result.ts';
import { optionalField, wordsField } from '../../inputs/fields.ts';
import { readInput } from '../../inputs/read-input.ts';
import { NOT_AUDIO } from './files.ts';
import { noWords } from './message-kind.ts';
import type { SendableKindRules } from './message-kind.ts';
import type { CommonSendInput } from './send-input.ts';

/** A text message. */
export interface SendTextInput extends CommonSendInput {
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

const textInput: z.ZodType<{ readonly text: string; readonly link_preview?: boolean | undefined }, unknown> =
  z.object({
    text: wordsField,
    voice: optionalField(z.literal(false, NOT_AUDIO)),
    link_preview: optionalField(z.boolean()),
  });

export const text: SendableKindRules<'text'> = {
  payload: z.strictObject({ link_preview: z.boolean() }).nullable(),
  words: noWords,
  sending: {
    input: textInput,
    hasFile: false,
    read: (input) => {
      const read = readInput(textInput, input);
      if (!read.ok) return read;
      const { text: words, link_preview: linkPreview } = read.value;
      return ok({
        fingerprint: linkPreview === undefined ? [words] : [words, linkPreview],
        contentOf: () => ({
          type: 'text',
          kind: 'text',
          payload: linkPreview === undefined ? null : { link_preview: linkPreview },
          text: words,
          caption: null,
          media: null,
        }),
      });
    },
    outgoing: (message) => ({ type: 'text', text: message.text ?? '' }),
  },
};
