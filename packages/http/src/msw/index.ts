export { startMockTrunkline } from './start-mock-trunkline.ts';
export type { MockTrunkline, MockTrunklineOptions } from './mock-trunkline.ts';
export type { SentWebhook, WebhookReceiver } from './webhook-handover.ts';
