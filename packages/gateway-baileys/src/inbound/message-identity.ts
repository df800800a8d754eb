import { jidNormalizedUser } from '@whiskeysockets/baileys';
import { networkIdOf } from './network-id.ts';

export interface MessageIdentity {
  readonly id?: string | null | undefined;
  readonly remoteJid?: string | null | undefined;
  readonly participant?: string | null | undefined;
}

/**
 * The name under which a session stores one message. The name has no device, because Baileys leaves the device out of
 * keys.
 */
export function identityOf({ id, remoteJid, participant }: MessageIdentity): string {
  const chat = jidNormalizedUser(remoteJid ?? undefined);
  return `${networkIdOf(id)}/${chat}/${jidNormalizedUser(participant ?? undefined)}`;
}
