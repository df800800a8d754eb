import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from './intercepted-stanzas.ts';

/** What to do before Baileys gets a stanza, which it acknowledges to the network; null for what it gets immediately. */
export type Hold = (stanza: BinaryNode) => Promise<void> | null;

/**
 * Keeps stanzas from Baileys until what they report is stored. One whose promise rejects stays with the network, which
 * delivers it again on the next connection.
 */
export function holdStanzas(socket: Pick<WASocket, 'ws'>, tag: 'call' | 'message', hold: Hold): void {
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

/** A stanza that makes no sense is Baileys' to refuse. */
function tryToHold(hold: Hold, stanza: BinaryNode): Promise<void> | null {
  try {
    return hold(stanza);
  } catch {
    return null;
  }
}
