import type { MessageKind, MessagePayloads } from '@trunkline/receiver';
import type * as z from 'zod';
import type { Message } from '../../domain/message/message.ts';
import type { Result } from '../../domain/result.ts';
import type { OutgoingContent, OutgoingFile } from '../../ports/gateway.ts';
import type { SentFile } from '../media/uploads.ts';

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
  /** The schema of the fields that the requests of this kind have in addition to those of every request. */
  readonly input: z.ZodType;
  /** Whether the request has a file. REST takes such a request as a form, and any other as JSON. */
  readonly hasFile: boolean;
  /** Checks those fields, and the file. */
  readonly read: (input: unknown, file: SentFile) => Result<CheckedContent>;
  /** The part of an accepted message that the gateway sends. `open` returns the content of its file. */
  readonly outgoing: (message: Message, open: OutgoingFile['open']) => OutgoingContent;
}

/** The content of a valid request. */
export interface CheckedContent {
  /** The values that make two requests of this kind different, always in the same order; a file by its SHA-256. */
  readonly fingerprint: readonly (string | boolean | null)[];
  /** The content of the message that the request becomes. */
  readonly contentOf: (messageId: string) => MessageContent;
}

type MessageContent = Pick<Message, 'type' | 'kind' | 'payload' | 'text' | 'caption' | 'media'>;

/** The words of a kind that has a text or a file of its own. */
export function noWords(): string {
  return '';
}
