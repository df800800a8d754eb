import type { Activity } from '@trunkline/core/spi/gateway';
import { isJidGroup, jidNormalizedUser, toNumber } from '@whiskeysockets/baileys';
import type { WAMessage, proto } from '@whiskeysockets/baileys';
import { contactOf, contactReport, isMe } from './contact-report.ts';
import type { People } from './contact-report.ts';
import type { FindAdmins } from './group-admins.ts';
import { referenceTo } from './media-file.ts';
import type { MessageContent } from './message-content.ts';
import { momentOf } from './message-kinds.ts';
import { networkIdOf } from './network-id.ts';
import { senderOf } from './phone-number.ts';

/** An action on another message. The actor's app names that message in `target`. */
export type Deed = Extract<
  MessageContent,
  { kind: 'reaction' | 'vote' | 'edit' | 'deletion' | 'media_update' }
>;

export interface Witness {
  readonly people: People;
  readonly findAdmins: FindAdmins;
}

/**
 * Converts a deed to core's type. Null for a file that cannot be referenced, and for a deletion that the actor had no
 * right to: modified apps can send any deed.
 */
export async function activityOf(witness: Witness, message: WAMessage, deed: Deed): Promise<Activity | null> {
  const { people } = witness;
  const contact = await contactOf(people, message);
  const actor = message.key.fromMe ? null : (contact?.networkId ?? senderOf(message.key));
  const about = {
    about: networkIdOf(deed.target.id),
    groupNetworkId: groupOf(message),
    contact,
    own: message.key.fromMe === true,
    at: sentAt(message),
  };
  switch (deed.kind) {
    case 'reaction':
    case 'vote': {
      const otherSide = message.key.fromMe ? (contact?.networkId ?? null) : null;
      const author = deed.target.fromMe ? actor : await memberIn(people, message, deed.target, otherSide);
      if (deed.kind === 'reaction') return { ...about, kind: 'reaction', author, emoji: deed.emoji };
      return { ...about, kind: 'vote', author, options: deed.options, at: deed.at ?? about.at };
    }
    // Only the author can edit a message, so the actor counts as the author.
    case 'edit':
      return { ...about, kind: 'edit', author: actor, text: deed.text };
    case 'media_update': {
      const { type, keyType, source } = deed.content;
      const reference = referenceTo({ key: message.key, keyType, source });
      return reference ? { ...about, kind: 'media_update', author: actor, type, reference } : null;
    }
    case 'deletion': {
      const author = deed.target.fromMe ? actor : await memberIn(people, message, deed.target, actor);
      return author === actor || (await isAdmin(witness, message))
        ? { ...about, kind: 'deletion', author }
        : null;
    }
  }
}

/** The id of the group member that a target names; null for the account itself, `otherwise` if no member is named. */
async function memberIn(
  people: People,
  message: WAMessage,
  { participant }: proto.IMessageKey,
  otherwise: string | null,
): Promise<string | null> {
  if (!groupOf(message) || !participant) return otherwise;
  if (isMe(people, participant)) return null;
  return (await contactReport(people, { jids: [participant] }))?.networkId ?? otherwise;
}

/** Whether the message's author may delete others' messages in the group. Our own phone counts as an admin. */
async function isAdmin({ findAdmins }: Witness, message: WAMessage): Promise<boolean> {
  const group = groupOf(message);
  if (group === null) return false;
  const { fromMe, participant, participantAlt } = message.key;
  if (fromMe) return true;
  // If the group cannot be read, no member counts as an admin.
  const admins = await findAdmins(group).catch((): readonly string[] => []);
  return [participant, participantAlt].some((jid) => jid && admins.includes(jidNormalizedUser(jid)));
}

/** The network's id of a message's group; null if the message is not in a group. */
export function groupOf({ key }: WAMessage): string | null {
  const chat = key.remoteJid ?? '';
  return isJidGroup(chat) ? chat : null;
}

/** When a message was sent, by the network's clock, in epoch milliseconds; null if missing or out of range. */
export function sentAt({ messageTimestamp }: WAMessage): number | null {
  return messageTimestamp ? momentOf(toNumber(messageTimestamp) * 1_000) : null;
}
