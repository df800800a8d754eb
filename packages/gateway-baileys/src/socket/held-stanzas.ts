import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from './intercepted-stanzas.ts';

/** Starts the work that must be done before Baileys gets a stanza and acknowledges it. Null if there is none. */
export type Hold = (stanza: BinaryNode) => Promise<void> | null;

/**
 * Holds stanzas back from Baileys until their work is done. If it fails, the network keeps the stanza and delivers it
 * again on the next connection.
 */
export function holdStanzas(
  socket: Pick<WASocket, 'ws'>,
  tag: 'call' | 'message' | 'notification',
  hold: Hold,
): void {
  const released = new WeakSet<BinaryNode>();
  interceptStanzas(socket, tag, (stanza) => {
    const held = released.has(stanza) ? null : tryToHold(hold, stanza);
    if (!held) return false;
    const release = (): void => {
      released.add(stanza);
      socket.ws.emit(`CB:${tag}`, stanza);
    };
    void held.then(release, () => undefined);
    return true;
  });
}

/** Malformed stanzas are not held: Baileys itself refuses them. */
function tryToHold(hold: Hold, stanza: BinaryNode): Promise<void> | null {
  try {
    return hold(stanza);
  } catch {
    return null;
  }
}
