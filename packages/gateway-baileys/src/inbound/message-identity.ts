import { jidNormalizedUser } from '@whiskeysockets/baileys';
import { networkIdOf } from './network-id.ts';

export interface MessageIdentity {
  readonly id?: string | null | undefined;
  readonly remoteJid?: string | null | undefined;
  readonly participant?: string | null | undefined;
}

/** What one message of a session is stored under. Baileys leaves the device out of a message's key. */
export function identityOf({ id, remoteJid, participant }: MessageIdentity): string {
  const chat = jidNormalizedUser(remoteJid ?? undefined);
  return `${networkIdOf(id)}/${chat}/${jidNormalizedUser(participant ?? undefined)}`;
}
