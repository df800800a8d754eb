import { isLidUser, isPnUser, jidDecode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessageKey, WASocket } from '@whiskeysockets/baileys';

type LidMapping = Pick<WASocket['signalRepository']['lidMapping'], 'getPNForLID'>;

/** The network's name of whoever wrote a message, without the device: the same each time that the network repeats it. */
export function senderOf({ participant, remoteJid }: WAMessageKey): string {
  return jidNormalizedUser(participant || remoteJid || undefined);
}

/**
 * The number of whoever wrote a message: as the message names it, or as it was learned before. Null where the network
 * names a hidden id alone, whose digits are no phone number.
 */
export async function numberOf(key: WAMessageKey, lidMapping: LidMapping): Promise<string | null> {
  const names = key.participant ? [key.participant, key.participantAlt] : [key.remoteJid, key.remoteJidAlt];
  const known = names.find((name) => isPnUser(name ?? undefined));
  if (known) return userOf(known);
  const hidden = names.find((name) => isLidUser(name ?? undefined));
  const learned = hidden ? await lidMapping.getPNForLID(hidden) : null;
  return learned ? userOf(learned) : null;
}

export function userOf(jid: string): string | null {
  return jidDecode(jid)?.user ?? null;
}
