import { randomBytes } from 'node:crypto';
import {
  S_WHATSAPP_NET,
  aesEncryptCTR,
  bytesToCrockford,
  derivePairingCodeKey,
  getCompanionPlatformId,
  jidEncode,
} from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { queryErrorOf } from '../socket/status-code.ts';

/** WhatsApp shows these names on the phone, and accepts only common browsers on common systems. */
const SYSTEM = 'Windows';
const BROWSER = 'Chrome';

/** WhatsApp refuses to link this phone by a code. Another request would fail too, and count as another attempt. */
export class PairingCodeRefused extends Error {
  override readonly name = 'PairingCodeRefused';

  constructor(code: number) {
    super(`WhatsApp refused to link a phone by a code (${code}): check the number, or scan the QR instead.`);
  }
}

/** Error codes from 500 up are temporary problems of the network. */
export function codeRefusal(code: number): Error {
  return code < 500
    ? new PairingCodeRefused(code)
    : new Error(`WhatsApp links no phone by a code now (${code}).`);
}

/**
 * Returns a code to type on the phone with this number, once WhatsApp has accepted the code. Baileys' own request does
 * not wait for the response, and shows the device's name, which WhatsApp refuses.
 */
export async function requestPairingCode(socket: WASocket, phoneNumber: string): Promise<string> {
  const { creds } = socket.authState;
  const code = bytesToCrockford(randomBytes(5));
  const jid = jidEncode(phoneNumber, 's.whatsapp.net');
  // Baileys reads these fields when the code has been typed.
  creds.pairingCode = code;
  creds.me = { id: jid, name: '~' };

  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const key = await derivePairingCodeKey(code, salt);
  const wrapped = Buffer.concat([salt, iv, aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, iv)]);
  const request = {
    tag: 'link_code_companion_reg',
    attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
    content: [
      node('link_code_pairing_wrapped_companion_ephemeral_pub', wrapped),
      node('companion_server_auth_key_pub', creds.noiseKey.public),
      node('companion_platform_id', getCompanionPlatformId([SYSTEM, BROWSER, ''])),
      node('companion_platform_display', `${BROWSER} (${SYSTEM})`),
      node('link_code_pairing_nonce', '0'),
    ],
  };
  const attrs = { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md', id: socket.generateMessageTag() };
  const response: unknown = await socket
    .query({ tag: 'iq', attrs, content: [request] })
    .catch((error: unknown) => {
      const refusal = queryErrorOf(error);
      throw refusal === null ? error : codeRefusal(refusal);
    });
  if (!response) throw new Error('WhatsApp did not respond to a request for a pairing code.');
  return code;
}

function node(tag: string, content: string | Uint8Array) {
  return { tag, attrs: {}, content };
}
