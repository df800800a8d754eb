import type { WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from './intercepted-stanzas.ts';

/** The collection with the account's name, among the collections that a phone shares with its linked devices. */
const OWN_NAME = 'critical_block';

/**
 * Reads only the account's own name from the state that a phone shares with its linked devices. For a big account, the
 * address book and the state of every chat would take seconds to read, and tens of megabytes to keep.
 */
export function limitAppState(socket: Pick<WASocket, 'ws' | 'ev' | 'resyncAppState'>): void {
  interceptStanzas(socket, 'notification', (stanza) => {
    const { attrs, content } = stanza;
    if (attrs['type'] === 'server_sync' && Array.isArray(content))
      stanza.content = content.filter((node) => node.tag !== 'collection' || node.attrs['name'] === OWN_NAME);
    // Let Baileys acknowledge the stanza.
    return false;
  });
  socket.ev.on('creds.update', ({ myAppStateKeyId }) => {
    // If this fails, only the name is missing until the owner writes from the phone.
    if (myAppStateKeyId) socket.resyncAppState([OWN_NAME], false).catch(() => undefined);
  });
}
