import type { WebhookAction } from '@trunkline/receiver';
import type { MessageAction } from '../domain/message/message-action.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** An action on a message, in the REST API and in `message.action_failed`. */
export type MessageActionResource = WebhookAction;

export function actionResource(action: MessageAction): MessageActionResource {
  return {
    id: action.id,
    instance_id: action.instanceId,
    message_id: action.messageId,
    kind: action.kind,
    emoji: action.emoji,
    text: action.text,
    status: action.status,
    error: action.error && { code: action.error.code, message: action.error.message },
    created_at: timestamp(action.createdAt),
    sent_at: timestampOrNull(action.sentAt),
    failed_at: timestampOrNull(action.failedAt),
  };
}
