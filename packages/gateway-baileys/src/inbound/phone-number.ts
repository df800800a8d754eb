import { jidDecode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessageKey } from '@whiskeysockets/baileys';

/**
 * The network's name of a message's author without the device, so that it is the same if the network repeats the
 * message.
 */
export function senderOf({ participant, remoteJid }: WAMessageKey): string {
  return jidNormalizedUser(participant || remoteJid || undefined);
}

export function userOf(jid: string): string | null {
  return jidDecode(jid)?.user ?? null;
}
