import type { ChatAddress } from '@trunkline/core/spi/gateway';
import { isLidUser, S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { InTime } from '../socket/query-time.ts';
import { findAddresses } from './recipients.ts';
import type { Search } from './recipients.ts';

/**
 * Blocks a person, or no longer, as `UpdateBlocklist` of whatsmeow does: by their hidden id, and to block them also by
 * their number if it is known. Baileys refuses to block a person whose number is hidden.
 */
export async function setBlocked(
  search: Search & { readonly inTime: InTime },
  person: ChatAddress,
  isBlocked: boolean,
): Promise<void> {
  const { socket, inTime } = search;
  const addresses = await findAddresses(search, person);
  const both = addresses ? [addresses.jid, addresses.other] : [];
  const lid = both.find((jid) => jid !== null && isLidUser(jid));
  const number = both.find((jid) => jid !== null && !isLidUser(jid));
  if (!lid) throw new Error('WhatsApp named no hidden id of the person, and blocks people by it');
  const item = {
    action: isBlocked ? 'block' : 'unblock',
    jid: lid,
    ...(isBlocked && number && { pn_jid: number }),
  };
  const query = socket.query({
    tag: 'iq',
    attrs: { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'set' },
    content: [{ tag: 'item', attrs: item }],
  });
  await inTime('a block', query);
}
