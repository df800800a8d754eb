export { createTrunkline } from './create-trunkline.ts';
export type { TrunklineOptions } from './options.ts';
export type { Principal, Trunkline } from './trunkline.ts';
export type {
  EventContext,
  EventHandler,
  EventSelection,
  HandlerOptions,
  HandlerRegistration,
  SelectedEvent,
} from './event-handler.ts';
export type { Roles } from './workers/roles.ts';
export type { Admin } from './admin-api.ts';
export type { ApiKeyInfo, NewApiKey } from './services/admin/api-keys.ts';
export type { NewMember } from './services/admin/members.ts';
export type { SubscriptionInfo } from './services/admin/subscriptions.ts';
export type { NewWorkspace } from './services/admin/workspaces.ts';
export type {
  PageResult,
  SendMediaInput,
  SendOptions,
  SendTextInput,
  Upload,
  SendResult,
  WebhookList,
  WorkspaceApi,
} from './workspace-api.ts';
export { TrunklineError, isTrunklineError } from './trunkline-error.ts';

// The API's shapes.
export type { ApiKeyResource } from './representation/api-key-resource.ts';
export type { GroupResource, InstanceResource, QrResource } from './representation/instance-resource.ts';
export type { MediaResource, MessageResource } from './representation/message-resource.ts';
export type {
  AttemptResource,
  DeliveryDetailResource,
  DeliveryResource,
  WebhookResource,
  WebhookResourceWithSecret,
} from './representation/webhook-resource.ts';
export type {
  ConnectInput,
  DeliveryQuery,
  InstanceInput,
  MessageQuery,
  WebhookChanges,
  WebhookInput,
} from './representation/inputs.ts';

// Errors and access.
export { ERROR_CODES, ERROR_STATUS } from './domain/error-code.ts';
export type { ErrorCode, ErrorFacts } from './domain/error-code.ts';
export type { ErrorDetails, Refusal, Result } from './domain/result.ts';
export { SCOPES } from './domain/api-key/api-key.ts';
export type { ApiKey, Scope } from './domain/api-key/api-key.ts';

// What storages, gateways and other adapters are written against.
export { createNewId, floorId, idToUuid, isId, uuidToId } from './domain/id.ts';
export type { IdPrefix, NewId } from './domain/id.ts';
export { isPostponed } from './domain/workspace/plan-rules.ts';
export { DEFAULT_PLAN } from './domain/workspace/workspace.ts';
export type { Member, Plan, Subscription, Workspace } from './domain/workspace/workspace.ts';
export type {
  Event,
  EventType,
  InstanceEventType,
  MessageEventType,
  SubscribableEventType,
} from './domain/event/event.ts';
export { EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from './domain/event/event.ts';
export type { EventSubscription } from './domain/subscription/event-subscription.ts';
export type {
  Capability,
  Instance,
  InstanceStatus,
  LastOutcome,
  Operation,
  OperationKind,
  OperationOutcome,
  QrCode,
} from './domain/instance/instance.ts';
export { acceptsMessages } from './domain/instance/instance.ts';
export type { Group, GroupReport } from './domain/instance/group.ts';
export { latestCheckIn, latestLeaseEnd, latestResend } from './domain/too-far-ahead.ts';
export { queuedEventDue } from './domain/subscription/queued-event-due.ts';
export { IDEMPOTENCY_WINDOW_MS, isForgotten } from './domain/idempotency/idempotency.ts';
export type { IdempotencyRecord } from './domain/idempotency/idempotency.ts';
export type {
  Message,
  MessageDirection,
  MessageError,
  MessageMedia,
  MessageStatus,
  MessageType,
} from './domain/message/message.ts';
export {
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  contentIdOf,
  contentNotFree,
} from './domain/message/message.ts';
export { DELIVERY_STATUSES, isOpen } from './domain/delivery/delivery.ts';
export {
  endedBy,
  endedWithoutEvent,
  mayRetry,
  requeue,
  withinSchedule,
} from './domain/delivery/delivery-state.ts';
export { joinRound, waitsInRound } from './domain/delivery/retry-round.ts';
export type { RetryRound } from './domain/delivery/retry-round.ts';
export { newDelivery } from './domain/delivery/new-delivery.ts';
export { WAITING_REASONS } from './domain/delivery/waiting.ts';
export type { LanePosition, WaitingReason } from './domain/delivery/waiting.ts';
export { healthAfter } from './domain/webhook/endpoint-health.ts';
export { MAX_ATTEMPTS } from './domain/delivery/retry-schedule.ts';
export type {
  Attempt,
  ClosingReason,
  Delivery,
  DeliveryErrorCode,
  DeliveryStatus,
} from './domain/delivery/delivery.ts';
export { HEALTHY, NO_FAILURES } from './domain/webhook/endpoint.ts';
export type {
  DisabledReason,
  EndpointHealth,
  FailureRecord,
  EndpointStatus,
  LastDelivery,
  WebhookEndpoint,
} from './domain/webhook/endpoint.ts';
export type { UrlPolicy } from './domain/webhook/url-policy.ts';
export { flawInHostEntry } from './domain/webhook/host-list.ts';
export type { OwnAddress } from './domain/webhook/host-rules.ts';

export type { MediaDownload } from './services/messages/read-media.ts';
export type { MediaType } from './domain/message/media-rules.ts';
export { LARGEST_MEDIA_SIZE, MEDIA_SIZE_MAX } from './domain/message/media-rules.ts';
export { parsePhoneNumber } from './domain/message/phone-number.ts';
export { checkMediaId } from './domain/message/media-id.ts';
export type { MediaStore } from './ports/media-store.ts';
export { UnavailableError, explainUnavailable, isUnavailable } from './ports/unavailable-error.ts';
export type { MediaIndex } from './ports/storage/media-index.ts';
export type { Clock } from './ports/clock.ts';
export type { Crypto } from './ports/crypto.ts';
export type { DnsResolver } from './ports/dns-resolver.ts';
export type {
  ClosedReason,
  Gateway,
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  GroupsExtent,
  IncomingContent,
  IncomingFile,
  IncomingMessage,
  LinkedProfile,
  OpenOptions,
  OutgoingContent,
  OutgoingFile,
  OutgoingMessage,
  Receipt,
  SendOutcome,
  Session,
} from './ports/gateway.ts';
export { consoleLogger } from './ports/console-logger.ts';
export { silentLogger } from './ports/logger.ts';
export type { Logger } from './ports/logger.ts';
export type { Notification, Notifier } from './ports/notifier.ts';
export type { Random } from './ports/random.ts';
export type { WebhookRequest, WebhookResponse, WebhookSender } from './ports/webhook-sender.ts';
export type { ApiKeyHolder, ApiKeyStore } from './ports/storage/api-key-store.ts';
export type {
  ClaimedDelivery,
  ClaimResult,
  Completion,
  DeliveryClaim,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryStore,
  RetryResult,
} from './ports/storage/delivery-store.ts';
export type { WaitsStep } from './ports/storage/waits-step.ts';
export type { GatewayShare, OwnerShare } from './domain/instance/instance-shares.ts';
export type {
  InstanceStore,
  InstanceWrite,
  InstanceWriteResult,
  LeasedInstance,
} from './ports/storage/instance-store.ts';
export type { Lease } from './ports/storage/lease.ts';
export type {
  Acceptance,
  AcceptanceResult,
  MessageChange,
  MessageFilter,
  MessageStore,
  QueuedMessage,
} from './ports/storage/message-store.ts';
export type { Page, PageRequest } from './ports/storage/page.ts';
export type { RetentionStore } from './ports/storage/retention-store.ts';
export type { Signal, Storage, StorageContext } from './ports/storage/storage.ts';
export type {
  ClaimedEvent,
  EventClaim,
  EventClaimKey,
  EventClaimResult,
  EventCompletion,
  SubscriptionCounts,
  SubscriptionStore,
} from './ports/storage/subscription-store.ts';
export type { EndpointWrite, Notice, WebhookStore } from './ports/storage/webhook-store.ts';
export type { WorkspaceChanges, WorkspaceStore } from './ports/storage/workspace-store.ts';

// What an API in front of the service is made of, as @trunkline/http is. An app needs none of it: its operations throw.
export { unwrap } from './trunkline-error.ts';
export { refuse } from './domain/result.ts';
export { invalid } from './representation/read-input.ts';
export { checkScope, checkSuspension } from './domain/api-key/authorization.ts';
export { isInstallableToken } from './domain/api-key/api-key-token.ts';
export { apiKeyResource } from './representation/api-key-resource.ts';
// The schemas that check what callers send: what describes the API is made from them.
export {
  connectInput,
  deliveryQuery,
  instanceInput,
  mediaFields,
  messageInput,
  messageQuery,
  textInput,
  webhookChanges,
  webhookInput,
} from './representation/inputs.ts';
