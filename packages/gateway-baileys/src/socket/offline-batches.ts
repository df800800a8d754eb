import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The number that Baileys requests when it connects. */
const BATCH = 100;

/**
 * Requests the next batch of stanzas that waited while there was no connection, once one is complete. Baileys requests
 * only the first.
 */
export function askForOfflineBatches(socket: Pick<WASocket, 'ws' | 'sendNode'>): void {
  let arrived = 0;
  socket.ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array || frame.attrs['offline'] === undefined) return;
    arrived += 1;
    if (arrived % BATCH !== 0) return;
    const content = [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }];
    // The next connection requests what this one does not get.
    socket.sendNode({ tag: 'ib', attrs: {}, content }).catch(() => undefined);
  });
}
