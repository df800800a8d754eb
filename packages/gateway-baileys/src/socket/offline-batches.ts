import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** The size of the batch that Baileys requests when it connects. */
const BATCH = 100;

/**
 * Stanzas that waited while there was no connection arrive in batches. Baileys requests only the first, so this
 * requests each further batch.
 */
export function askForOfflineBatches(socket: Pick<WASocket, 'ws' | 'sendNode'>): void {
  let arrived = 0;
  socket.ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array || frame.attrs['offline'] === undefined) return;
    arrived += 1;
    if (arrived % BATCH !== 0) return;
    const content = [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }];
    // If this fails, the next connection requests the rest.
    socket.sendNode({ tag: 'ib', attrs: {}, content }).catch(() => undefined);
  });
}
