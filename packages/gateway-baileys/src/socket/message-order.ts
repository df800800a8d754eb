import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/**
 * Makes Baileys handle messages one after another, as they arrive, like whatsmeow's queue of stanzas (`client.go`).
 * Baileys does this only with stanzas that waited for the connection, so a message that comes while it still handles
 * those would overtake them.
 */
export function keepMessageOrder({ ws }: Pick<WASocket, 'ws'>): void {
  ws.prependListener('CB:message', ({ attrs }: BinaryNode) => {
    attrs['offline'] ??= '0';
  });
}
