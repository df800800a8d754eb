import type { Receipt } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, proto } from '@whiskeysockets/baileys';
import type { BaileysEventMap, Contact } from '@whiskeysockets/baileys';
import { networkIdOf } from './network-id.ts';

const { DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;

/** Receipts of messages to a person. They name the message by its id; how they name the chat changes from one to the next. */
export function directReceipts(updates: BaileysEventMap['messages.update']): readonly Receipt[] {
  return updates.flatMap(({ key, update: { status } }): readonly Receipt[] => {
    if (!key.id || key.fromMe === false) return [];
    const networkId = networkIdOf(key.id);
    if (status === DELIVERY_ACK) return [{ networkId, status: 'delivered' }];
    return status === READ || status === PLAYED ? [{ networkId, status: 'read' }] : [];
  });
}

/** Receipts of messages to a group, one for each participant. Those of our own other devices say nothing about others. */
export function groupReceipts(
  updates: BaileysEventMap['message-receipt.update'],
  me: Contact | undefined,
): readonly Receipt[] {
  return updates.flatMap(({ key, receipt: { userJid, readTimestamp } }): readonly Receipt[] => {
    const participant = userJid ?? undefined;
    const isOwn = areJidsSameUser(participant, me?.id) || areJidsSameUser(participant, me?.lid);
    if (!key.id || key.fromMe === false || isOwn) return [];
    return [{ networkId: networkIdOf(key.id), status: readTimestamp ? 'read' : 'delivered' }];
  });
}
