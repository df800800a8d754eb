import type { WASocket } from '@whiskeysockets/baileys';
import { isPaired } from '../session/credentials.ts';
import { acknowledge } from '../socket/acknowledge.ts';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';

/** The account has to confirm a new device with its passkey, which this gateway cannot ask for. */
export class PasskeyRequired extends Error {
  override readonly name = 'PasskeyRequired';

  constructor() {
    super('WhatsApp links a device to this account only with its passkey.');
  }
}

/**
 * Calls `failed` when the network asks for the account's passkey after a phone has scanned the QR or taken the code.
 * Baileys ignores this, so the phone would wait until the last QR has expired.
 */
export function watchPasskeyRequests(
  socket: Pick<WASocket, 'ws' | 'authState' | 'sendNode'>,
  failed: (error: Error) => void,
): void {
  interceptStanzas(socket, 'notification', ({ attrs }) => {
    if (attrs['type'] !== 'passkey_prologue_request' || isPaired(socket.authState.creds)) return false;
    void acknowledge(socket, attrs).finally(() => failed(new PasskeyRequired()));
    return true;
  });
}
