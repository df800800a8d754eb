import type { Message, MessageMedia } from '@trunkline/core/spi/storage';
import { columnsOf, recordOf } from './column-arrays.ts';
import type { RowOf } from './column-arrays.ts';
import {
  flag,
  id,
  idOrNull,
  integer,
  integerOrNull,
  jsonOrNull,
  text,
  textOrNull,
  toJsonOrNull,
  word,
} from './row.ts';
import type { Row } from './row.ts';
import { encodeText, encodeTextOrNull } from './text-encoding.ts';
import { uuidOf, uuidOrNull } from './uuid.ts';

/** What `readMessage` reads of a message that is called `item`. */
export const MESSAGE_COLUMNS = `item.*, (
    item.media IS NULL OR EXISTS (SELECT 1 FROM trunkline.instances WHERE instances.id = item.instance_id)
  ) AS keeps_media`;

/** What a message is known by. No change writes it: only the indexes on the status are touched by one. */
const IDENTITY = {
  id: 'uuid',
  network_id: 'text',
  sender_id: 'text',
  direction: 'text',
  type: 'text',
  created_at: 'bigint',
} as const;

/** What a change writes. */
const CHANGEABLE = {
  status: 'text',
  recipient: 'text',
  sender: 'text',
  group_id: 'uuid',
  text: 'text',
  caption: 'text',
  media: 'text',
  error: 'text',
  queued_at: 'bigint',
  sent_at: 'bigint',
  delivered_at: 'bigint',
  read_at: 'bigint',
  failed_at: 'bigint',
  received_at: 'bigint',
} as const;

/** All columns but those of the owner. */
const CONTENT: typeof IDENTITY & typeof CHANGEABLE = { ...IDENTITY, ...CHANGEABLE };
const OWNER = { workspace_id: 'uuid', instance_id: 'uuid' } as const;
const MESSAGE: typeof OWNER & typeof CONTENT = { ...OWNER, ...CONTENT };

/** The columns with their types, as `json_to_recordset` takes them. */
export const CONTENT_RECORD: string = recordOf(CONTENT);
export const MESSAGE_RECORD: string = recordOf(MESSAGE);

/** The same without the types. */
export const CONTENT_NAMES: string = columnsOf(CONTENT).join(', ');
export const MESSAGE_NAMES: string = columnsOf(MESSAGE).join(', ');
export const CHANGEABLE_NAMES: readonly string[] = columnsOf(CHANGEABLE);

/** Repeats of an inbound message have the same `senderId`. */
export function messageColumns(message: Message, senderId: string): RowOf<typeof MESSAGE> {
  return {
    workspace_id: uuidOf('ten', message.workspaceId),
    instance_id: uuidOf('ins', message.instanceId),
    ...contentColumns(message, senderId),
  };
}

export function contentColumns(message: Message, senderId: string): RowOf<typeof CONTENT> {
  return {
    id: uuidOf('msg', message.id),
    network_id: encodeText(message.networkId),
    sender_id: encodeText(senderId),
    direction: message.direction,
    type: message.type,
    created_at: message.createdAt,
    ...changeableColumns(message),
  };
}

export function changeableColumns(message: Message): RowOf<typeof CHANGEABLE> {
  return {
    status: message.status,
    recipient: encodeTextOrNull(message.to),
    sender: encodeTextOrNull(message.from),
    group_id: uuidOrNull('grp', message.groupId),
    text: encodeTextOrNull(message.text),
    caption: encodeTextOrNull(message.caption),
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

export function readMessage(row: Row): Message {
  return {
    id: id(row, 'id', 'msg'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    instanceId: id(row, 'instance_id', 'ins'),
    networkId: text(row, 'network_id'),
    direction: word(row, 'direction'),
    type: word(row, 'type'),
    status: word(row, 'status'),
    to: textOrNull(row, 'recipient'),
    from: textOrNull(row, 'sender'),
    groupId: idOrNull(row, 'group_id', 'grp'),
    text: textOrNull(row, 'text'),
    caption: textOrNull(row, 'caption'),
    media: readMedia(row),
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
function readMedia(row: Row): MessageMedia | null {
  const media = jsonOrNull<MessageMedia>(row, 'media');
  return media && { ...media, available: media.available && flag(row, 'keeps_media') };
}
