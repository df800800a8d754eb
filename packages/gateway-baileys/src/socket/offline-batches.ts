import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The number that Baileys asks for when it connects. */
const BATCH = 100;

/**
 * Asks for the next batch of stanzas that waited while there was no connection, when one is complete. Baileys asks only
 * for the first.
 */
export function askForOfflineBatches(socket: Pick<WASocket, 'ws' | 'sendNode'>): void {
  let arrived = 0;
  socket.ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array || frame.attrs['offline'] === undefined) return;
    arrived += 1;
    if (arrived % BATCH !== 0) return;
    const content = [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }];
    // The next connection asks for what this one does not get.
    socket.sendNode({ tag: 'ib', attrs: {}, content }).catch(() => undefined);
  });
}
