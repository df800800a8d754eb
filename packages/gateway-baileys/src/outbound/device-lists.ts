import { isLidUser } from '@whiskeysockets/baileys';
import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys';
import { learnedLid } from '../inbound/contact-report.ts';
import { userOf } from '../inbound/phone-number.ts';

/**
 * Drops what is remembered of a person's devices when the network says that they have changed. Baileys does so under the
 * name that the network uses, but remembers them under the one that was written to: until it asks again, a device that
 * was added would get nothing.
 */
export function watchDeviceLists(socket: WASocket, remembered: CacheStore): void {
  const drop = async ({ attrs }: BinaryNode): Promise<void> => {
    const from = attrs['from'] ?? '';
    const { lidMapping } = socket.signalRepository;
    const other = isLidUser(from) ? await lidMapping.getPNForLID(from) : await learnedLid(socket, from);
    for (const jid of [from, other]) await remembered.del((jid && userOf(jid)) ?? '');
  };
  socket.ws.on('CB:notification,type:devices', (stanza: BinaryNode) => {
    // A list that cannot be looked up is asked for again within minutes.
    void drop(stanza).catch(() => undefined);
  });
}
