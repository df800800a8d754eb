import type { MessageReceipt } from '@trunkline/core/spi/gateway';
import { isJidGroup } from '@whiskeysockets/baileys';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { isMe } from './contact-report.ts';
import type { People } from './contact-report.ts';
import { networkIdOf } from './network-id.ts';
import { childrenOf } from './stanza-message.ts';

const STATUSES: Readonly<Record<string, MessageReceipt['status']>> = {
  '': 'delivered',
  read: 'read',
  played: 'read',
};

/**
 * The receipts that a group's members gave for our messages, if the network delivers them in one stanza, which Baileys
 * acknowledges and drops. Without those from our own other devices. The stanza's form is that of
 * `handleGroupedReceipt` in whatsmeow's `receipt.go`.
 */
export function groupedReceipts(me: Pick<People, 'user'>, stanza: BinaryNode): readonly MessageReceipt[] {
  const { from, participant, type = '' } = stanza.attrs;
  const status = STATUSES[type];
  if (!isJidGroup(from) || participant !== undefined || status === undefined) return [];
  return childrenOf(stanza).flatMap((message): readonly MessageReceipt[] => {
    const { key } = message.attrs;
    if (message.tag !== 'participants' || !key) return [];
    const isByOthers = childrenOf(message).some(
      ({ tag, attrs }) => tag === 'user' && attrs['jid'] && !isMe(me, attrs['jid']),
    );
    return isByOthers ? [{ networkId: networkIdOf(key), status }] : [];
  });
}
