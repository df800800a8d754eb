import { jidNormalizedUser } from '@whiskeysockets/baileys';
import { networkIdOf } from './network-id.ts';

export interface MessageIdentity {
  readonly id?: string | null | undefined;
  readonly remoteJid?: string | null | undefined;
  readonly participant?: string | null | undefined;
}

/** The name under which a session stores a message, without the device, because Baileys' keys omit it. */
export function identityOf({ id, remoteJid, participant }: MessageIdentity): string {
  const chat = jidNormalizedUser(remoteJid ?? undefined);
  return `${networkIdOf(id)}/${chat}/${jidNormalizedUser(participant ?? undefined)}`;
}
