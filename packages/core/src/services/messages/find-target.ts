import { networkIdsOf } from '../../domain/contact/contact.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import { chatOf, isSameChat } from '../../domain/message/chat.ts';
import type { Message } from '../../domain/message/message.ts';
import type { ActivityOnMessage } from '../../ports/gateway.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import { knownContact } from '../contacts.ts';
import type { ServiceContext } from '../context.ts';

/** The message that an activity is about, and the actor. */
export interface Target {
  readonly message: Message;
  /** The actor, or the contact of the chat if the owner of the number acted. */
  readonly contact: Contact | null;
  /** Whether the actor wrote the message. */
  readonly isByAuthor: boolean;
}

/**
 * Finds the message that an activity is about, in the chat of the activity and by the author that the network
 * names, because other people may have chosen the same network id for their messages. Returns `unknown` if no
 * message has the id, `forbidden` if no message with the id matches.
 */
export async function findTarget(
  context: ServiceContext,
  held: LeasedInstance,
  activity: ActivityOnMessage,
): Promise<Target | 'unknown' | 'forbidden'> {
  const { storage, networkIds } = context;
  const { about, groupNetworkId, own } = activity;
  const { id: instanceId } = held.instance;
  const ids = await networkIds.idsBehind(about);
  const candidates = await storage.messages.findByNetworkId(instanceId, about, ids);
  if (candidates.length === 0) return 'unknown';
  // Store the contact only now, because a sender who makes up the ids of messages must not be stored.
  const contact = activity.contact && (await knownContact(context, held, activity.contact));
  const group =
    groupNetworkId === null ? null : await storage.groups.findByNetworkId(instanceId, groupNetworkId);
  if (groupNetworkId === null ? contact === null : group === null) return 'forbidden';
  for (const message of candidates) {
    if (!isInChat(message, group?.id ?? null, contact)) continue;
    const author = await authorOf(context, message);
    const isTheirs =
      author === null ? activity.author === null : author.networkIds.includes(activity.author ?? '');
    if (!isTheirs) continue;
    const isByAuthor = own ? author === null : author !== null && isOf(author, contact);
    return { message, contact, isByAuthor };
  }
  return 'forbidden';
}

function isInChat(message: Message, groupId: string | null, contact: Contact | null): boolean {
  const number = contact?.phoneNumber ?? null;
  if (isSameChat(chatOf(message), { groupId, contact, number })) return true;
  // Accept a recipient who hides the number that the message went to, because only the recipient knows the
  // message's id.
  const isToNumber = message.direction === 'outbound' && message.contact === null && message.groupId === null;
  return isToNumber && groupId === null && contact !== null && number === null;
}

/** The known ids of the author of a message. */
interface Author {
  readonly contactId: string | null;
  readonly networkIds: readonly string[];
}

/** Returns the author of a message; null if the instance is the author. */
async function authorOf({ storage }: ServiceContext, message: Message): Promise<Author | null> {
  if (message.direction === 'outbound') return null;
  const { id, workspaceId, instanceId, contact } = message;
  const known = contact && (await storage.contacts.find(workspaceId, instanceId, contact.id));
  if (known) return { contactId: known.id, networkIds: networkIdsOf(known) };
  const senderId = (await storage.messages.findQuotable(instanceId, id))?.senderId ?? null;
  return { contactId: null, networkIds: senderId === null ? [] : [senderId] };
}

function isOf(author: Author, contact: Contact | null): boolean {
  if (contact === null) return false;
  return (
    author.contactId === contact.id || networkIdsOf(contact).some((id) => author.networkIds.includes(id))
  );
}
