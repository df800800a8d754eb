import { chatOf } from '../../domain/message/chat.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import type { Page } from '../../ports/storage/page.ts';
import type { ServiceContext } from '../context.ts';

/** The most messages that one read mark covers besides its own. Older ones keep their state. */
const UNREAD_MAX = 200;
/** Most marks are of the newest message of a chat, whose other messages are read. */
const PAGE_LIMIT = 25;
/** Limits the work in a chat with few received messages among many sent ones. */
const PAGES_MAX: number = (2 * UNREAD_MAX) / PAGE_LIMIT;

/**
 * The unread messages that the instance received in the chat of this one before it, newest first: back to the last one
 * that is read, because its mark covered the messages before it.
 */
export async function unreadBefore(
  { storage }: Pick<ServiceContext, 'storage'>,
  message: Message,
): Promise<readonly Message[]> {
  const { workspaceId, instanceId, id } = message;
  const counterpart = counterpartOf(message);
  if (counterpart === null) return [];
  const filter = { instanceId, direction: 'inbound', counterpart } as const;
  const unread: Message[] = [];
  let before: string | undefined = id;
  for (let pages = 0; pages < PAGES_MAX && before !== undefined; pages += 1) {
    const from = { direction: 'older', id: before } as const;
    const page: Page<Message> = await storage.messages.list(workspaceId, filter, { from, limit: PAGE_LIMIT });
    for (const row of page.rows) {
      if (row.readAt !== null || unread.length === UNREAD_MAX) return unread;
      unread.push(row);
    }
    before = page.hasOlder ? (page.olderFrom ?? page.rows.at(-1)?.id) : undefined;
  }
  return unread;
}

/** Null if the message is in no chat, because nothing is known of its sender. */
function counterpartOf(message: Message): Recipient | null {
  const { groupId, contact, number } = chatOf(message);
  if (groupId !== null) return { kind: 'group', groupId };
  if (contact) return { kind: 'contact', contactId: contact.id };
  return number === null ? null : { kind: 'number', digits: number };
}
