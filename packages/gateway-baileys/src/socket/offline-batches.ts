import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** As many as Baileys asks for when it connects. */
const BATCH = 100;

/**
 * What waited while there was no connection comes in batches. Baileys asks for the first one alone: this asks for the
 * next when one is complete.
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
