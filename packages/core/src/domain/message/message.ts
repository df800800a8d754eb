import type { MessageKind, MessagePayload } from '@trunkline/receiver';
import type { ContactSummary } from '../contact/contact.ts';
import { MEDIA_TYPES } from './media-rules.ts';

/** How a reader of the specification sees a message. New kinds of messages do not add to these. */
export const MESSAGE_TYPES: readonly ['text', ...typeof MEDIA_TYPES] = ['text', ...MEDIA_TYPES];
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const MESSAGE_STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MESSAGE_DIRECTIONS = ['inbound', 'outbound'] as const;
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

/** `device`: the phone of the instance, or another device that is linked to its number. */
type MessageOrigin = 'api' | 'device';

/** Lengths in Unicode code points. */
export const TEXT_MAX = 4096;
export const CAPTION_MAX = 1024;
/** How many messages of one instance may be queued at the same time, by default. */
export const DEFAULT_SEND_BACKLOG = 1000;
/** `Retry-After` in seconds when the backlog is full: about as long as a queue takes to shrink. */
export const BACKLOG_RETRY_AFTER = 10;

export interface MessageError {
  readonly code: string;
  readonly message: string;
}

/**
 * The file of a media message; `available` is true while its content is stored. `size` is in bytes, `sha256` in hex;
 * both are null if the file has not arrived, or the message was deleted.
 */
export interface MessageMedia {
  readonly available: boolean;
  readonly mimeType: string;
  readonly size: number | null;
  readonly filename: string;
  readonly sha256: string | null;
  /**
   * The id of the upload, under which the content is kept because the message gets its own id only when it is accepted.
   * Absent if the content is kept under the id of the message, as for inbound files.
   */
  readonly uploadId?: string;
}

/** The id under which the content of a message is kept, in the media store and in its index. */
export function contentIdOf({ id, media }: Pick<Message, 'id' | 'media'>): string {
  return media?.uploadId ?? id;
}

/** The error of a message that cannot be stored because its content does not exist, or belongs to another message. */
export function contentNotFree(message: Message): Error {
  return new Error(
    `The file of ${message.id} (${contentIdOf(message)}) was never stored, or belongs to another message: upload it again.`,
  );
}

/** Times are epoch milliseconds. */
export interface Message {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  /** The id of the message on the network: chosen before the first send, so that a resend is the same message. */
  readonly networkId: string;
  readonly direction: MessageDirection;
  readonly type: MessageType;
  readonly status: MessageStatus;
  /** Digits of the recipient; null in a group, or if the network hides them. */
  readonly to: string | null;
  /** Digits of the sender; null if the network hides them. */
  readonly from: string | null;
  readonly groupId: string | null;
  /** The author of an inbound message, or the recipient of an outbound message to a contact, as they are known now. */
  readonly contact: ContactSummary | null;
  /** The message of the same chat that this one replies to. */
  readonly replyTo: string | null;
  /** The time before which the message is not sent, as the caller gave it; null for most messages. */
  readonly sendAt: number | null;
  /** The same as `type` if the message has no finer kind. */
  readonly kind: MessageKind;
  readonly payload: MessagePayload | null;
  /** The origin of an outbound message; null for an inbound one. */
  readonly origin: MessageOrigin | null;
  readonly text: string | null;
  readonly caption: string | null;
  readonly media: MessageMedia | null;
  readonly error: MessageError | null;
  readonly createdAt: number;
  readonly queuedAt: number | null;
  /** For an inbound message, by the network's clock, and never after its arrival. */
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  /** When the recipient read an outbound message, or the network accepted the read mark of an inbound one. */
  readonly readAt: number | null;
  readonly failedAt: number | null;
  readonly receivedAt: number | null;
  readonly editedAt: number | null;
  readonly deletedAt: number | null;
  /** The span that accepted or received the message (W3C `traceparent`); null if its trace is not recorded. */
  readonly traceparent: string | null;
}
