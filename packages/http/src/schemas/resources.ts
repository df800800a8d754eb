import type {
  ChatResource,
  DeliveryDetailResource,
  DeliveryResource,
  GroupResource,
  InstanceHistoryResource,
  InstanceResource,
  MessageResource,
  MessageStandingResource,
  WebhookResource,
} from '@trunkline/core';
import type * as z from 'zod';
import { chat } from './chats.ts';
import { delivery, deliveryDetail } from './deliveries.ts';
import { historyEntry } from './instance-history.ts';
import { group, instance } from './instances.ts';
import { message } from './messages.ts';
import { messageStanding } from './message-standing.ts';
import { webhook } from './webhooks.ts';

/** The schemas of the results of operations, for interfaces other than REST, such as MCP. */
export const RESOURCES: {
  readonly chat: z.ZodType<ChatResource>;
  readonly delivery: z.ZodType<DeliveryResource>;
  readonly deliveryDetail: z.ZodType<DeliveryDetailResource>;
  readonly group: z.ZodType<GroupResource>;
  readonly historyEntry: z.ZodType<InstanceHistoryResource>;
  readonly instance: z.ZodType<InstanceResource>;
  readonly message: z.ZodType<MessageResource>;
  readonly messageStanding: z.ZodType<MessageStandingResource>;
  readonly webhook: z.ZodType<WebhookResource>;
} = {
  chat: chat.schema,
  delivery: delivery.schema,
  deliveryDetail: deliveryDetail.schema,
  group: group.schema,
  historyEntry: historyEntry.schema,
  instance: instance.schema,
  message: message.schema,
  messageStanding: messageStanding.schema,
  webhook: webhook.schema,
};
