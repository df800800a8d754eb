import type { WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from './intercepted-stanzas.ts';

/** Where the name of the account is, among what a phone shares with its linked devices. */
const OWN_NAME = 'critical_block';

/**
 * Of what a phone shares with its linked devices, this gateway reads the account's own name alone: the address book and
 * the state of every chat would take seconds to read, of a big account, and tens of megabytes to keep.
 */
export function limitAppState(socket: Pick<WASocket, 'ws' | 'ev' | 'resyncAppState'>): void {
  interceptStanzas(socket, 'notification', (stanza) => {
    const { attrs, content } = stanza;
    if (attrs['type'] === 'server_sync' && Array.isArray(content))
      stanza.content = content.filter((node) => node.tag !== 'collection' || node.attrs['name'] === OWN_NAME);
    // Baileys acknowledges it.
    return false;
  });
  socket.ev.on('creds.update', ({ myAppStateKeyId }) => {
    // Without it there is no name until the owner writes from the phone, and nothing else is missing.
    if (myAppStateKeyId) socket.resyncAppState([OWN_NAME], false).catch(() => undefined);
  });
}
