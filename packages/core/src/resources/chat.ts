import type { WebhookContact } from '@trunkline/receiver';
import { excerptOf } from '../domain/chat/excerpt.ts';
import type { ChatSummary } from '../domain/chat/chat.ts';
import type { MessageDirection, MessageStatus, MessageType } from '../domain/message/message.ts';
import { contactResource } from './message.ts';
import { timestamp } from './time.ts';

/** An instance's messages with one person, or in one group. Not in the API specification, but added by Trunkline. */
export interface ChatResource {
  /** `ins_…` */
  readonly instance_id: string;
  /**
   * The value to list the chat's messages by, and to send to: the id of the contact or of the group, or the
   * digits of the number.
   */
  readonly counterpart: string;
  /** Null in a chat with a person. */
  readonly group_id: string | null;
  /** The person as they are known now; null in a group, and if only the number is known. */
  readonly contact: WebhookContact | null;
  /** Digits; null in a group, and while the network hides the number. */
  readonly phone_number: string | null;
  /** The name of the person or the group; null if it is not known. */
  readonly name: string | null;
  /** The newest message of the chat, in part. */
  readonly last_message: ChatMessageResource;
}

/** The parts of the last message that a chat shows. */
export interface ChatMessageResource {
  /** `msg_…` */
  readonly id: string;
  /** Whether the instance received the message or sent it. */
  readonly direction: MessageDirection;
  /** `text`, or the type of the file. */
  readonly type: MessageType;
  /** How far the message has come, such as `delivered`. */
  readonly status: MessageStatus;
  /** The beginning of the text or the caption, in one line; null if there is none. */
  readonly excerpt: string | null;
  /** When the message arrived or was accepted; ISO 8601 with an offset. */
  readonly created_at: string;
}

export function chatResource(chat: ChatSummary): ChatResource {
  const { lastMessage: last, contact, groupId, number } = chat;
  return {
    instance_id: chat.instanceId,
    counterpart: counterpartOf(chat),
    group_id: groupId,
    contact: contact && contactResource(contact),
    phone_number: number,
    name: contact?.name ?? chat.groupName,
    last_message: {
      id: last.id,
      direction: last.direction,
      type: last.type,
      status: last.status,
      excerpt: excerptOf(last),
      created_at: timestamp(last.createdAt),
    },
  };
}

/** Uses the id of a deleted contact if nothing else is known, because its messages still have the id. */
function counterpartOf({ groupId, contact, number, lastMessage }: ChatSummary): string {
  return groupId ?? contact?.id ?? number ?? lastMessage.contact?.id ?? '';
}
