import type { WebhookMessage } from '@trunkline/receiver';
import type { Message } from '../domain/message/message.ts';
import { timestamp, timestampOrNull } from './time.ts';

/**
 * Message of the REST API and of message events (specification, "Message"): one shape, which is declared where receivers
 * of webhooks import it from.
 */
export type MessageResource = WebhookMessage;

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
