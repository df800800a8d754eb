import { createHash } from 'node:crypto';
import { jidDecode } from '@whiskeysockets/baileys';

/** Six bytes, which are eight characters. */
const HASH_BYTES = 6;

/**
 * The hash of the devices that a message is for, by which WhatsApp finds out that a client does not know them all: that
 * of `participantListHashV2` in whatsmeow's `send.go`. Its base64 has `+` and `/`; whatsapp-rust
 * (`wacore/src/messages.rs`) had `-` and `_`, and reports that WhatsApp rejected a fifth of these. Baileys' own hash has
 * other names of devices and only six characters, and is never sent.
 */
export function participantHash(devices: readonly string[]): string {
  const named = devices.map((jid) => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {};
    return `${user}.0:${device}@${server}`;
  });
  const hash = createHash('sha256').update(named.toSorted().join('')).digest();
  return `2:${hash.subarray(0, HASH_BYTES).toString('base64')}`;
}
