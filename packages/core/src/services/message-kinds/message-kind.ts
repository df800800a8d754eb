import type { MessageKind, MessagePayloads } from '@trunkline/receiver';
import * as z from 'zod';
import { boundedPlainText } from '../../domain/message/inbound-bounds.ts';
import type { Capability } from '../../domain/instance/instance.ts';
import { TEXT_MAX } from '../../domain/message/message.ts';
import type { Message, MessageType } from '../../domain/message/message.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { absentField } from '../../inputs/fields.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { OutgoingDetail, OutgoingFile, OutgoingMessage } from '../../ports/gateway.ts';
import type { SentFile } from '../media/uploads.ts';
import { noMentions } from './mentions.ts';

/** The rules of one kind of message. `message-kinds.ts` lists all kinds. */
export interface KindRules<Kind extends MessageKind> {
  /** The schema of the payload; null if the kind has none. */
  readonly payload: z.ZodType<MessagePayloads[Kind]> | null;
  /**
   * Describes the payload for apps and people who read only texts. Empty if messages of this kind have a text or a file
   * of their own.
   */
  readonly words: (payload: MessagePayloads[Kind]) => string;
  /** How such messages are sent; null if they only arrive. */
  readonly sending: Sending | null;
}

/** The rules of a kind that callers can send. */
export interface SendableKindRules<Kind extends MessageKind> extends KindRules<Kind> {
  readonly sending: Sending;
}

interface Sending {
  /** The capability that an instance needs for this kind. */
  readonly capability: Capability;
  /** The `type` of such messages. */
  readonly type: MessageType;
  /** The schema of the fields that the requests of this kind have in addition to those of every request. */
  readonly input: z.ZodType;
  /** Whether the request has a file. REST takes such a request as a form, and any other as JSON. */
  readonly hasFile: boolean;
  /** Checks those fields, and the file. */
  readonly read: (input: unknown, file: SentFile) => Result<CheckedContent>;
  /** The part of an accepted message that the gateway sends. `open` returns the content of its file. */
  readonly outgoing: (message: Message, open: OutgoingFile['open']) => OutgoingPart;
}

/** The part of an outgoing message that depends on its kind. */
export type OutgoingPart = Pick<OutgoingMessage, 'content' | 'detail'>;

/** The content of a valid request. */
export interface CheckedContent {
  /** The values that make two requests of this kind different, always in the same order; a file by its SHA-256. */
  readonly fingerprint: readonly (string | boolean | null)[];
  /** The content of the message that the request becomes. */
  readonly contentOf: (messageId: string) => MessageContent;
  /** The people whom the text mentions: digits, and ids of contacts, which may not exist. Absent without any. */
  readonly mentions?: readonly string[] | undefined;
}

type MessageContent = Pick<Message, 'type' | 'kind' | 'payload' | 'text' | 'caption' | 'media'>;

/** The words of a kind that has a text or a file of its own. */
export function noWords(): string {
  return '';
}

const payloadRequest = z.object({
  payload: z.unknown(),
  text: absentField('Must not be given with this kind: it is made from the payload.'),
  mentions: noMentions,
});

type PayloadKind = Exclude<OutgoingDetail['kind'], 'sticker'>;

/** How a kind is sent whose request has a `payload` and no file, and whose text is made from it. */
export function payloadSending<Kind extends PayloadKind>({
  kind,
  capability,
  payload,
  words,
}: {
  readonly kind: Kind;
  readonly capability: Capability;
  /** The schema of the payload as callers send it. */
  readonly payload: z.ZodType<MessagePayloads[Kind], unknown>;
  readonly words: KindRules<Kind>['words'];
}): Sending {
  return {
    capability,
    type: 'text',
    input: payloadRequest.extend({ payload }),
    hasFile: false,
    read(input) {
      const request = readInput(payloadRequest, input);
      if (!request.ok) return request;
      const read = readInput(payload, request.value.payload, 'payload');
      if (!read.ok) return read;
      return ok({
        fingerprint: [JSON.stringify(read.value)],
        contentOf: () => ({
          type: 'text',
          kind,
          payload: read.value,
          text: boundedPlainText(words(read.value), TEXT_MAX),
          caption: null,
          media: null,
        }),
      });
    },
    outgoing: ({ text, payload: stored }) => ({
      content: { type: 'text', text: text ?? '' },
      // Stored with this kind.
      detail: { kind, payload: stored } as OutgoingDetail,
    }),
  };
}
