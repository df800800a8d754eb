export { createReceiver } from './create-receiver.ts';
export type { EventHandlers, IncomingWebhook, Receiver, ReceiverOptions } from './create-receiver.ts';
export type {
  FailedEvent,
  ReceivedEvent,
  ReceiveResult,
  RefusalReason,
  RefusedRequest,
} from './receive-result.ts';
export type { WebhookBody } from './read-body.ts';
export type { ClaimResult, EventStore, ProcessingClaim } from './event-store.ts';
export type { SecretOption, WebhookSecret } from './secret.ts';
export { memoryStore } from './memory-store.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
export { keyvStore } from './keyv-store.ts';
export type { KeyvLike } from './keyv-store.ts';
export { isNewer } from './is-newer.ts';
export type { ComparableEvent } from './is-newer.ts';
export { verify } from './verify.ts';
export type {
  VerifyFailure,
  VerifyFailureReason,
  VerifyOptions,
  VerifyResult,
  VerifySuccess,
} from './verify.ts';
export { signStandardWebhook, signWebhook } from './sign-webhook.ts';
export type { SignStandardWebhookOptions, SignWebhookOptions } from './sign-webhook.ts';
export { readEvent } from './event.ts';
export { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS } from './event-types.ts';
export type { InstanceEventType, MessageEventType, OptInEventType, WebhookEventType } from './event-types.ts';
export type {
  MessageKind,
  MessageKindAndPayload,
  MessageLocation,
  MessageMentions,
  MessagePayload,
  MessagePayloads,
  SharedContact,
} from './message-kind.ts';
export type {
  ReadEventResult,
  WebhookCall,
  WebhookContact,
  WebhookDeed,
  WebhookEvent,
  WebhookEventOf,
  WebhookInstance,
  WebhookMedia,
  WebhookMessage,
  WebhookAction,
  WebhookReaction,
  WebhookUndecryptable,
  WebhookVote,
} from './event.ts';
export {
  DELIVERY_HEADER,
  EVENT_HEADER,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
} from './headers.ts';
export type { WebhookHeaders } from './headers.ts';
export { DEFAULT_TOLERANCE_SECONDS } from './timestamp.ts';
