import type { ChatSummary } from '../../domain/chat/chat.ts';
import type { Page, PageRequest } from './page.ts';

/** The result of one call of `file`. */
export interface FilingPass {
  /** How many messages the call went through; 0 if another process is filing. */
  readonly filed: number;
  /** The id of the newest of these messages; null if there are none. */
  readonly lastId: string | null;
  /** Whether messages are left, or may be left. */
  readonly more: boolean;
}

/**
 * The chats of each instance: its messages by counterpart. Filing a message in the transaction that stores it would
 * slow acceptance down, so that transaction only notes the message, and `file` files it later. Lookups also read the
 * latest unfiled messages, so that normally nothing is missing.
 */
export interface ChatStore {
  /**
   * The chats of an instance by their last message, newest first; a page is positioned by the ids of last messages. A
   * person has one chat, however many numbers and contact ids they have. Messages without a known group, contact or
   * number are in no chat. A page may have fewer rows than its limit (`Page.olderFrom`).
   */
  list(workspaceId: string, instanceId: string, page: PageRequest): Promise<Page<ChatSummary>>;
  /**
   * Files up to `limit` messages that are not filed yet, the oldest first, by counterpart and by words: a message whose
   * words change is filed again. Then removes from the index of words what only deleted messages had. Any number of processes may call this: one
   * process files at a time, each message is filed once, and if a process ends before it commits, another process files
   * these messages. Absent if the storage needs no filing.
   */
  file?(limit: number): Promise<FilingPass>;
}
