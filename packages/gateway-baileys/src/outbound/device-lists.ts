import { isLidUser } from '@whiskeysockets/baileys';
import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys';
import { learnedLid } from '../inbound/contact-report.ts';
import { userOf } from '../inbound/phone-number.ts';

/**
 * When a person's devices have changed, drops the cached list under both the LID and the number. Baileys drops only the
 * list under the id in the report, so a new device might get no messages until the next query.
 */
export function watchDeviceLists(socket: WASocket, remembered: CacheStore): void {
  const drop = async ({ attrs }: BinaryNode): Promise<void> => {
    const from = attrs['from'] ?? '';
    const { lidMapping } = socket.signalRepository;
    const other = isLidUser(from) ? await lidMapping.getPNForLID(from) : await learnedLid(socket, from);
    for (const jid of [from, other]) await remembered.del((jid && userOf(jid)) ?? '');
  };
  socket.ws.on('CB:notification,type:devices', (stanza: BinaryNode) => {
    // If the other id cannot be looked up, the cached list still expires within minutes.
    void drop(stanza).catch(() => undefined);
  });
}
