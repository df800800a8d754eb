import { isLidUser } from '@whiskeysockets/baileys';
import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys';
import { learnedLid } from '../inbound/contact-report.ts';
import { userOf } from '../inbound/phone-number.ts';

/**
 * Drops the cached devices of a person under both names when the network reports that they have changed. Baileys drops
 * only those under the name in the report, but caches them under the name that was written to, so an added device would
 * get nothing until the next query.
 */
export function watchDeviceLists(socket: WASocket, remembered: CacheStore): void {
  const drop = async ({ attrs }: BinaryNode): Promise<void> => {
    const from = attrs['from'] ?? '';
    const { lidMapping } = socket.signalRepository;
    const other = isLidUser(from) ? await lidMapping.getPNForLID(from) : await learnedLid(socket, from);
    for (const jid of [from, other]) await remembered.del((jid && userOf(jid)) ?? '');
  };
  socket.ws.on('CB:notification,type:devices', (stanza: BinaryNode) => {
    // If the other name cannot be looked up, the cached list still expires within minutes.
    void drop(stanza).catch(() => undefined);
  });
}
