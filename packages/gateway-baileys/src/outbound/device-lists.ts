import { isLidUser } from '@whiskeysockets/baileys';
import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys';
import { learnedLid } from '../inbound/contact-report.ts';
import { userOf } from '../inbound/phone-number.ts';

/**
 * Drops the cached devices of a person when the network says that they have changed. Baileys does so under the
 * network's name, but caches them under the one that was written to: until it asks again, an added device would get
 * nothing.
 */
export function watchDeviceLists(socket: WASocket, remembered: CacheStore): void {
  const drop = async ({ attrs }: BinaryNode): Promise<void> => {
    const from = attrs['from'] ?? '';
    const { lidMapping } = socket.signalRepository;
    const other = isLidUser(from) ? await lidMapping.getPNForLID(from) : await learnedLid(socket, from);
    for (const jid of [from, other]) await remembered.del((jid && userOf(jid)) ?? '');
  };
  socket.ws.on('CB:notification,type:devices', (stanza: BinaryNode) => {
    // If a list cannot be looked up, it is requested again within minutes.
    void drop(stanza).catch(() => undefined);
  });
}
