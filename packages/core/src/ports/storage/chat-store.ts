import type { ChatSummary } from '../../domain/chat/chat.ts';
import type { Page, PageRequest } from './page.ts';

/** The result of a pass of `file`. */
export interface FilingPass {
  /** How many messages it went through; 0 if another process is filing just now. */
  readonly filed: number;
  /** The id of the newest of them; null if there was none. */
  readonly lastId: string | null;
  /** Whether some are left, or may be. */
  readonly more: boolean;
}

/**
 * The chats of each instance: its messages by counterpart. Filing a message in the transaction that stores it would
 * slow acceptance down: that transaction only notes the message, and `file` files it later. Lookups also read the
 * latest unfiled messages, so that normally nothing is missing.
 */
export interface ChatStore {
  /**
   * The chats of an instance by their last message, newest first; a page is positioned by the ids of last messages. One
   * person is one chat, by however many numbers and contact ids. Messages of which neither the group, the contact nor a
   * number is known are in no chat. A page may have fewer rows than its limit (`Page.olderFrom`).
   */
  list(workspaceId: string, instanceId: string, page: PageRequest): Promise<Page<ChatSummary>>;
  /**
   * Files up to `limit` messages that are not filed yet, the oldest first. Any number of processes may call it: one
   * files at a time, each message is filed once, and another process files what one has not committed when it ends.
   * Absent if the storage does not need it.
   */
  file?(limit: number): Promise<FilingPass>;
}
