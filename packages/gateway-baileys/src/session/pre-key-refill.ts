import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';

/** The limits of whatsmeow's `prekeys.go`. Baileys uploads only as many keys as are needed until the next request. */
const FEW = 5;
const REFILL = 50;

/** Uploads new keys when the network says that strangers have used up nearly all that it had. */
export function refillPreKeys(socket: WASocket): void {
  interceptStanzas(socket, 'notification', (stanza) => {
    const { attrs, content } = stanza;
    if (attrs['type'] !== 'encrypt' || !Array.isArray(content)) return false;
    const left = getBinaryNodeChild(stanza, 'count')?.attrs['value'];
    if (left === undefined) return false;
    const refill = async (): Promise<void> => {
      // If this fails, the next connection finds that there are few.
      if (Number(left) < FEW) await socket.uploadPreKeys(REFILL).catch(() => undefined);
      await socket.sendMessageAck(stanza);
    };
    // If the connection has ended, the network sends the notification again.
    refill().catch(() => undefined);
    return true;
  });
}
