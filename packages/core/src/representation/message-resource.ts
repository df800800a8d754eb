import type {
  Message,
  MessageDirection,
  MessageError,
  MessageStatus,
  MessageType,
} from '../domain/message/message.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** Message of the REST API and of message events (specification, "Message"). */
export interface MessageResource {
  readonly id: string;
  readonly instance_id: string;
  readonly direction: MessageDirection;
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly to: string | null;
  readonly from: string | null;
  readonly group_id: string | null;
  readonly text: string | null;
  readonly caption: string | null;
  readonly media: MediaResource | null;
  readonly error: MessageError | null;
  readonly created_at: string;
  readonly queued_at: string | null;
  readonly sent_at: string | null;
  readonly delivered_at: string | null;
  readonly read_at: string | null;
  readonly failed_at: string | null;
  readonly received_at: string | null;
}

export interface MediaResource {
  readonly available: boolean;
  readonly mime_type: string;
  readonly size: number | null;
  readonly filename: string;
  readonly sha256: string | null;
}

export function messageResource(message: Message): MessageResource {
  const { media } = message;
  return {
    id: message.id,
    instance_id: message.instanceId,
    direction: message.direction,
    type: message.type,
    status: message.status,
    to: message.to,
    from: message.from,
    group_id: message.groupId,
    text: message.text,
    caption: message.caption,
    media: media && {
      available: media.available,
      mime_type: media.mimeType,
      size: media.size,
      filename: media.filename,
      sha256: media.sha256,
    },
    error: message.error && { code: message.error.code, message: message.error.message },
    created_at: timestamp(message.createdAt),
    queued_at: timestampOrNull(message.queuedAt),
    sent_at: timestampOrNull(message.sentAt),
    delivered_at: timestampOrNull(message.deliveredAt),
    read_at: timestampOrNull(message.readAt),
    failed_at: timestampOrNull(message.failedAt),
    received_at: timestampOrNull(message.receivedAt),
  };
}
