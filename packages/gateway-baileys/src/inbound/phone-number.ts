import { jidDecode, jidEncode, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WAMessageKey } from '@whiskeysockets/baileys';

/** The JID of a message's author, without the device, so that a repeat of the message names the same author. */
export function senderOf({ participant, remoteJid }: WAMessageKey): string {
  return jidNormalizedUser(participant || remoteJid || undefined);
}

export function userOf(jid: string): string | null {
  return jidDecode(jid)?.user ?? null;
}

/** The servers of a business's device on WhatsApp's Cloud API, and those of the same person's other devices. */
const USUAL_SERVERS: Readonly<Record<string, 's.whatsapp.net' | 'lid'>> = {
  hosted: 's.whatsapp.net',
  'hosted.lid': 'lid',
};

/**
 * Replaces the JID of a business's device on WhatsApp's Cloud API by the usual JID of that business, so that it is one
 * person whichever device writes. Returns any other JID unchanged.
 */
export function withoutHosting<Jid extends string | null | undefined>(jid: Jid): Jid | string {
  const { user, server = '' } = jidDecode(jid ?? undefined) ?? {};
  const usual = USUAL_SERVERS[server];
  return user && usual ? jidEncode(user, usual) : jid;
}
