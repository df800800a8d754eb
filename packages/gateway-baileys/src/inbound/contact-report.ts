import type { ContactReport } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, isJidGroup, isLidUser, isPnUser, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { storableLine } from './storable-text.ts';
import { userOf } from './phone-number.ts';

/** Longer than any name that WhatsApp allows. */
const LONGEST_NAME = 256;

/** The parts of a socket that identify people. */
export interface People {
  readonly user?: { readonly id: string; readonly lid?: string | undefined } | undefined;
  readonly authState: Pick<WASocket['authState'], 'keys'>;
  readonly signalRepository: {
    readonly lidMapping: Pick<WASocket['signalRepository']['lidMapping'], 'getPNForLID'>;
  };
}

/** A person as the network names them: `jids` holds a LID, a number, or both. */
export interface Named {
  readonly jids: readonly (string | null | undefined)[];
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
}

/**
 * Converts a person to core's type; null if no person is named. The LID becomes the id, because it stays when the
 * number is hidden or changes. A missing LID or number is looked up among the stored pairs.
 */
export async function contactReport(
  people: People,
  { jids, name, username }: Named,
): Promise<ContactReport | null> {
  const named = jids.map((jid) => jidNormalizedUser(jid ?? undefined));
  const saidLid = named.find((jid) => isLidUser(jid));
  const saidNumber = named.find((jid) => isPnUser(jid));
  const lid = saidLid ?? (saidNumber && (await learnedLid(people, saidNumber)));
  const learned = saidNumber ?? (lid && (await people.signalRepository.lidMapping.getPNForLID(lid)));
  const number = learned ? jidNormalizedUser(learned) : undefined;
  const networkId = lid ?? number;
  if (!networkId) return null;
  return {
    networkId,
    aliases: number && number !== networkId ? [number] : [],
    phoneNumber: number ? userOf(number) : null,
    name: storableLine(name, LONGEST_NAME),
    username: storableLine(username, LONGEST_NAME),
  };
}

/** The LID that Baileys has stored for a number. Baileys' own lookup would make the message wait for the network. */
export async function learnedLid(
  { authState }: Pick<People, 'authState'>,
  number: string,
): Promise<string | undefined> {
  const user = userOf(number) ?? '';
  const { [user]: lid } = await authState.keys.get('lid-mapping', [user]);
  return lid ? `${lid}@lid` : undefined;
}

/**
 * The author of a message, or its recipient if the owner of the number wrote it; null if the owner wrote to a group.
 */
export async function contactOf(
  people: People,
  { key, pushName, verifiedBizName }: WAMessage,
): Promise<ContactReport | null> {
  if (key.fromMe) {
    if (isJidGroup(key.remoteJid ?? undefined)) return null;
    return contactReport(people, {
      jids: [key.remoteJid, key.remoteJidAlt],
      username: key.remoteJidUsername,
    });
  }
  const jids = key.participant ? [key.participant, key.participantAlt] : [key.remoteJid, key.remoteJidAlt];
  const username = key.participant ? key.participantUsername : key.remoteJidUsername;
  return contactReport(people, { jids, name: verifiedBizName ?? pushName, username });
}

export function isMe({ user }: Pick<People, 'user'>, jid: string | null | undefined): boolean {
  const named = jid ?? undefined;
  return areJidsSameUser(named, user?.id) || areJidsSameUser(named, user?.lid);
}
