// The results of operations with their schemas, for interfaces other than REST, such as MCP.
export { chat } from './chats.ts';
export { delivery, deliveryDetail } from './deliveries.ts';
export { historyEntry } from './instance-history.ts';
export { group, groupDetail } from './groups.ts';
export { instance } from './instances.ts';
export { message } from './messages.ts';
export { messageAction } from './message-actions.ts';
export { messageStanding } from './message-standing.ts';
export { traffic, webhookTraffic } from './traffic.ts';
export { webhook } from './webhooks.ts';
