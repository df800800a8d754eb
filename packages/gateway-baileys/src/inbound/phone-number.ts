import { jidDecode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessageKey } from '@whiskeysockets/baileys';

/** The JID of a message's author, without the device, so that a repeat of the message names the same author. */
export function senderOf({ participant, remoteJid }: WAMessageKey): string {
  return jidNormalizedUser(participant || remoteJid || undefined);
}

export function userOf(jid: string): string | null {
  return jidDecode(jid)?.user ?? null;
}
