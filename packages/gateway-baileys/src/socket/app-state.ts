import type { WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from './intercepted-stanzas.ts';

/** The collection that holds the account's name, among those that a phone shares with its linked devices. */
const OWN_NAME = 'critical_block';

/**
 * Reads only the account's own name from the state that a phone shares with its linked devices. The rest of a big
 * account, its address book and chats, would take seconds to read and tens of megabytes to keep.
 */
export function limitAppState(socket: Pick<WASocket, 'ws' | 'ev' | 'resyncAppState'>): void {
  interceptStanzas(socket, 'notification', (stanza) => {
    const { attrs, content } = stanza;
    if (attrs['type'] === 'server_sync' && Array.isArray(content))
      stanza.content = content.filter((node) => node.tag !== 'collection' || node.attrs['name'] === OWN_NAME);
    return false;
  });
  socket.ev.on('creds.update', ({ myAppStateKeyId }) => {
    // If this fails, only the name is missing until the owner writes from the phone.
    if (myAppStateKeyId) socket.resyncAppState([OWN_NAME], false).catch(() => undefined);
  });
}
