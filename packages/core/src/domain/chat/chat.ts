import type { ContactSummary } from '../contact/contact.ts';
import type { Message } from '../message/message.ts';

/** The latest state of a chat: an instance's messages with one person, or in one group. */
export interface ChatSummary {
  readonly instanceId: string;
  /** Null in a chat with a person. */
  readonly groupId: string | null;
  /** The person as they are known now; null in a group, and if only the number is known. */
  readonly contact: ContactSummary | null;
  /** Digits of the person's number; null in a group, and while the network hides it. */
  readonly number: string | null;
  /** The name of the group; null if the group is no longer stored, and in a chat with a person. */
  readonly groupName: string | null;
  readonly lastMessage: Message;
}
