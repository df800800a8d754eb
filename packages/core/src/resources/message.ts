import type { WebhookContact, WebhookMessage } from '@trunkline/receiver';
import type { ContactSummary } from '../domain/contact/contact.ts';
import type { Message } from '../domain/message/message.ts';
import { timestamp, timestampOrNull } from './time.ts';

/**
 * Message of the REST API and of message events (specification, "Message"): one shape, declared in the package that
 * receivers of webhooks import.
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
    contact: message.contact && contactResource(message.contact),
    reply_to: message.replyTo,
    kind: message.kind,
    payload: message.payload,
    origin: message.origin,
    text: message.text,
    caption: message.caption,
    media: media && {
      available: media.available,
      mime_type: media.mimeType,
      size: media.size,
      filename: media.filename,
      sha256: media.sha256,
    },
    ...(message.sendAt !== null && { send_at: timestamp(message.sendAt) }),
    error: message.error && { code: message.error.code, message: message.error.message },
    created_at: timestamp(message.createdAt),
    queued_at: timestampOrNull(message.queuedAt),
    sent_at: timestampOrNull(message.sentAt),
    delivered_at: timestampOrNull(message.deliveredAt),
    read_at: timestampOrNull(message.readAt),
    failed_at: timestampOrNull(message.failedAt),
    received_at: timestampOrNull(message.receivedAt),
    edited_at: timestampOrNull(message.editedAt),
    deleted_at: timestampOrNull(message.deletedAt),
  };
}

export function contactResource({
  id,
  name,
  phoneNumber,
  dialledNumbers,
  username,
}: ContactSummary): WebhookContact {
  return { id, name, phone_number: phoneNumber, dialled_numbers: dialledNumbers, username };
}
