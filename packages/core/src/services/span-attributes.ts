import type { Attributes } from '@opentelemetry/api';
import type { Delivery } from '../domain/delivery/delivery.ts';
import type { Message } from '../domain/message/message.ts';

// The attributes of spans: only ids and values from closed lists.

export function messageAttributes({
  id,
  workspaceId,
  instanceId,
  type,
}: Pick<Message, 'id' | 'workspaceId' | 'instanceId' | 'type'>): Attributes {
  return {
    'messaging.message.id': id,
    'trunkline.workspace.id': workspaceId,
    'trunkline.instance.id': instanceId,
    'trunkline.message.type': type,
  };
}

export function deliveryAttributes({
  id,
  workspaceId,
  endpointId,
  eventId,
  eventType,
}: Pick<Delivery, 'id' | 'workspaceId' | 'endpointId' | 'eventId' | 'eventType'>): Attributes {
  return {
    'messaging.message.id': eventId,
    'trunkline.workspace.id': workspaceId,
    'trunkline.webhook.id': endpointId,
    'trunkline.delivery.id': id,
    'trunkline.event.type': eventType,
  };
}
