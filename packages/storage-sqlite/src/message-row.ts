import type { Message, MessageMedia } from '@trunkline/core/spi/storage';
import type { Columns, Database } from './database.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull, toJsonOrNull, word } from './row.ts';
import type { Row } from './row.ts';

/** `senderId` tells repeats of inbound messages apart. */
export function messageColumns(message: Message, senderId: string): Columns {
  return {
    id: message.id,
    workspace_id: message.workspaceId,
    instance_id: message.instanceId,
    network_id: message.networkId,
    sender_id: senderId,
    direction: message.direction,
    type: message.type,
    created_at: message.createdAt,
    ...changeableColumns(message),
  };
}

/** All but what a message is known by: no index but that of the status is touched by writing these. */
export function changeableColumns(message: Message): Columns {
  return {
    status: message.status,
    recipient: message.to,
    sender: message.from,
    group_id: message.groupId,
    text: message.text,
    caption: message.caption,
    media: toJsonOrNull(message.media),
    error: toJsonOrNull(message.error),
    queued_at: message.queuedAt,
    sent_at: message.sentAt,
    delivered_at: message.deliveredAt,
    read_at: message.readAt,
    failed_at: message.failedAt,
    received_at: message.receivedAt,
  };
}

export function readMessage(database: Database, row: Row): Message {
  const instanceId = text(row, 'instance_id');
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    instanceId,
    networkId: text(row, 'network_id'),
    direction: word(row, 'direction'),
    type: word(row, 'type'),
    status: word(row, 'status'),
    to: textOrNull(row, 'recipient'),
    from: textOrNull(row, 'sender'),
    groupId: textOrNull(row, 'group_id'),
    text: textOrNull(row, 'text'),
    caption: textOrNull(row, 'caption'),
    media: asOfNow(database, instanceId, jsonOrNull(row, 'media')),
    error: jsonOrNull(row, 'error'),
    createdAt: integer(row, 'created_at'),
    queuedAt: integerOrNull(row, 'queued_at'),
    sentAt: integerOrNull(row, 'sent_at'),
    deliveredAt: integerOrNull(row, 'delivered_at'),
    readAt: integerOrNull(row, 'read_at'),
    failedAt: integerOrNull(row, 'failed_at'),
    receivedAt: integerOrNull(row, 'received_at'),
  };
}

/** The content of an instance's messages goes with it, whatever their rows say. */
function asOfNow(database: Database, instanceId: string, media: MessageMedia | null): MessageMedia | null {
  if (!media?.available || database.get('SELECT 1 FROM instances WHERE id = ?', instanceId)) return media;
  return { ...media, available: false };
}
