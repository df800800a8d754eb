import { jidDecode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessageKey } from '@whiskeysockets/baileys';

/** The network's name of a message's author, without the device: the same each time that the network repeats it. */
export function senderOf({ participant, remoteJid }: WAMessageKey): string {
  return jidNormalizedUser(participant || remoteJid || undefined);
}

export function userOf(jid: string): string | null {
  return jidDecode(jid)?.user ?? null;
}
