import { boundedPlainText } from '../domain/message/inbound-bounds.ts';
import { chatOf } from '../domain/message/chat.ts';
import type { MessageAction } from '../domain/message/message-action.ts';
import { contentIdOf } from '../domain/message/message.ts';
import type { Message } from '../domain/message/message.ts';
import type {
  Deed,
  MessageOnNetwork,
  OutgoingAction,
  OutgoingMention,
  OutgoingMessage,
  QuotedMessage,
} from '../ports/gateway.ts';
import type { MediaStore } from '../ports/media-store.ts';
import { wrapReads } from '../runtime/wrap-reads.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OutgoingPart } from '../services/message-kinds/message-kind.ts';
import { KIND_RULES } from '../services/message-kinds/message-kinds.ts';

/**
 * The part of a message that the gateway sends. `fileFailed` is called with the error if the file cannot be
 * read, and must throw.
 */
export async function outgoingMessage(
  { storage, mediaStore }: ServiceContext,
  message: Message,
  fileFailed: (error: unknown) => never,
): Promise<OutgoingMessage | 'group_unknown'> {
  const { instanceId, networkId } = message;
  const replyTo = message.replyTo === null ? null : await quotedMessage(storage, instanceId, message.replyTo);
  const mentioned = mentionedIn(message);
  const common = {
    networkId,
    ...outgoingPart(mediaStore, message, fileFailed),
    ...(replyTo && { replyTo }),
    ...(mentioned && { mentions: await mentionsOf(storage, message, mentioned) }),
  };
  const address = await addressOf(storage, message);
  return address === 'group_unknown' ? address : { ...common, ...address };
}

/**
 * The part of an action on a message that the gateway carries out. `unread` are the earlier messages that a read mark
 * covers.
 */
export async function outgoingAction(
  { storage }: ServiceContext,
  message: Message,
  { action, unread }: { readonly action: MessageAction; readonly unread: readonly Message[] },
): Promise<OutgoingAction | 'group_unknown'> {
  const address = await addressOf(storage, message);
  if (address === 'group_unknown') return address;
  const [about, ...earlier] = await onNetwork(storage, [message, ...unread]);
  const mentioned = action.kind === 'edit' ? mentionedIn(message) : null;
  const mentions = mentioned && (await mentionsOf(storage, message, mentioned));
  const deed = deedOf(message, action, { earlier, mentions });
  return { networkId: action.networkId, ...address, about, deed };
}

/** The names of messages of one chat on the network. Their order stays. */
async function onNetwork(
  { messages }: ServiceContext['storage'],
  [first, ...others]: readonly [Message, ...Message[]],
): Promise<[MessageOnNetwork, ...MessageOnNetwork[]]> {
  const authors = new Map<string, string | null>();
  const named = async ({
    id,
    instanceId,
    networkId,
    groupId,
    contact,
  }: Message): Promise<MessageOnNetwork> => {
    // All messages that a person wrote have one author, which saves most of the reads.
    const author = contact?.id ?? (groupId === null ? 'the other person' : id);
    const senderId = authors.get(author) ?? (await messages.findQuotable(instanceId, id))?.senderId ?? null;
    authors.set(author, senderId);
    return { networkId, senderId };
  };
  const names: [MessageOnNetwork, ...MessageOnNetwork[]] = [await named(first)];
  for (const other of others) names.push(await named(other));
  return names;
}

function deedOf(
  { type }: Message,
  { kind, emoji, text }: MessageAction,
  found: {
    readonly earlier: readonly MessageOnNetwork[];
    readonly mentions: readonly OutgoingMention[] | null;
  },
): Deed {
  const { earlier, mentions } = found;
  switch (kind) {
    case 'reaction':
      return { kind, emoji };
    case 'edit':
      return { kind, type, text: text ?? '', ...(mentions && { mentions }) };
    case 'deletion':
      return { kind };
    case 'read_mark':
      return { kind, earlier };
  }
}

type Address = Pick<OutgoingMessage, 'to' | 'isGroup' | 'contactNetworkId'>;

/** The chat that a message is in, for the gateway. */
async function addressOf(
  storage: ServiceContext['storage'],
  message: Message,
): Promise<Address | 'group_unknown'> {
  const { workspaceId, instanceId } = message;
  const { groupId, number, contact } = chatOf(message);
  if (groupId !== null) {
    const group = await storage.groups.find(workspaceId, instanceId, groupId);
    return group ? { to: group.networkId, isGroup: true } : 'group_unknown';
  }
  const to = number ?? contact?.phoneNumber ?? '';
  if (contact === null) return { to, isGroup: false };
  const known = await storage.contacts.find(workspaceId, instanceId, contact.id);
  return { to, isGroup: false, contactNetworkId: known?.networkId ?? null };
}

/** At least the length that apps show of a quoted message; more would only make the message larger. */
const QUOTED_TEXT_MAX = 1_024;

async function quotedMessage(
  storage: ServiceContext['storage'],
  instanceId: string,
  id: string,
): Promise<QuotedMessage | null> {
  const found = await storage.messages.findQuotable(instanceId, id);
  if (!found) return null;
  const { message, senderId } = found;
  const { networkId, text, caption } = message;
  return { networkId, senderId, text: boundedPlainText(text ?? caption ?? '', QUOTED_TEXT_MAX) };
}

/** Whether the message's file is not stored, so that another attempt would only delay the report of the failure. */
export async function isFileGone({ mediaStore }: ServiceContext, message: Message): Promise<boolean> {
  if (!message.media) return false;
  return !message.media.available || (await mediaStore.size(contentIdOf(message))) === null;
}

function outgoingPart(
  store: MediaStore,
  message: Message,
  fileFailed: (error: unknown) => never,
): OutgoingPart {
  const { sending } = KIND_RULES[message.kind];
  if (sending === null)
    throw new Error(`The message ${message.id} is of a kind that is never sent: ${message.kind}.`);
  return sending.outgoing(message, async () => {
    const content = await openFile(store, message).catch(fileFailed);
    return wrapReads(content, (read) => read.catch(fileFailed));
  });
}

/** The people whom a message mentions, as its text has them; null if there are none. */
function mentionedIn({ payload }: Message): readonly string[] | null {
  return (payload !== null && 'mentions' in payload ? payload.mentions : null) ?? null;
}

/** The people whom a message mentions, with what is known about them now. */
async function mentionsOf(
  { contacts }: ServiceContext['storage'],
  { workspaceId, instanceId }: Message,
  mentioned: readonly string[],
): Promise<readonly OutgoingMention[]> {
  const mentions: OutgoingMention[] = [];
  for (const written of mentioned) {
    const isNumber = /^[0-9]/.test(written);
    const person = isNumber
      ? await contacts.findByNumber(workspaceId, instanceId, written)
      : await contacts.find(workspaceId, instanceId, written);
    mentions.push({
      written,
      number: isNumber ? written : (person?.phoneNumber ?? null),
      networkId: person?.networkId ?? null,
    });
  }
  return mentions;
}

async function openFile(store: MediaStore, message: Message): Promise<ReadableStream<Uint8Array>> {
  const content = await store.get(contentIdOf(message));
  if (content) return content;
  throw new Error(`The file of ${message.id} was deleted from the media store just before it was read.`);
}
