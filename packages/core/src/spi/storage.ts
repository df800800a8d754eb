// The exports for storages: the port that they implement, the types that they store, and the rules that every
// storage applies inside its transactions. Media stores use these exports, too. Unlike the names of
// `@trunkline/core`, these names may change with a minor version.

// The port.
export type { Signal, Storage, StorageContext, StorageDescription } from '../ports/storage/storage.ts';
export type { ActionOutcome, ActionStore } from '../ports/storage/action-store.ts';
export type { ActivityStore, Echo, RecordedActivity } from '../ports/storage/activity-store.ts';
export type { ApiKeyHolder, ApiKeyStore } from '../ports/storage/api-key-store.ts';
export { EVENT_DELIVERIES_MAX } from '../ports/storage/delivery-store.ts';
export type {
  ClaimedDelivery,
  CompletedAndClaimed,
  Completion,
  CompletionResult,
  DeliveryClaim,
  DeliveryClaimResult,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryStore,
  RetryResult,
} from '../ports/storage/delivery-store.ts';
export type { CallStore, StoredCall } from '../ports/storage/call-store.ts';
export type { ChatStore, FilingPass } from '../ports/storage/chat-store.ts';
export type { ContactStore } from '../ports/storage/contact-store.ts';
export type { DownloadStore, PendingDownload } from '../ports/storage/download-store.ts';
export type { EventFilter, EventStore } from '../ports/storage/event-store.ts';
export type {
  ErasureStore,
  MessageDeletion,
  MessagesDeleted,
  StoredMessage,
  Walk,
  WalkPart,
} from '../ports/storage/erasure-store.ts';
export type {
  GroupChangeDecision,
  GroupChangeKey,
  GroupChangeStore,
  NewGroupChange,
  RememberedGroupChange,
} from '../ports/storage/group-change-store.ts';
export type { GroupStore } from '../ports/storage/group-store.ts';
export type { InstanceStore, InstanceWrite, InstanceWriteResult } from '../ports/storage/instance-store.ts';
export type { Lease } from '../ports/storage/lease.ts';
export type { ClaimedInstance, LeaseStore, LeasedInstance } from '../ports/storage/lease-store.ts';
export type { LookupStore } from '../ports/storage/lookup-store.ts';
export type {
  Arrival,
  MessageChange,
  MessageFilter,
  MessageStore,
  PeopleOfMessages,
  Postponement,
  QueueFailure,
  QueueLook,
  QuotableMessage,
  QueuedMessage,
  Sender,
} from '../ports/storage/message-store.ts';
export { QUEUE_WINDOW, SAME_NETWORK_ID_MAX, SENDER_KEPT_MS } from '../ports/storage/message-store.ts';
export { SCHEDULE_STEP } from '../ports/storage/schedule-store.ts';
export type { ScheduleFilter, ScheduleStore } from '../ports/storage/schedule-store.ts';
export { ROWS_EXAMINED_MAX } from '../ports/storage/page.ts';
export type { Page, PageRequest } from '../ports/storage/page.ts';
export type { ProcessVitals } from '../ports/process-monitor.ts';
export type { ProcessRegistry, ProcessReport, ReportedProcess } from '../ports/storage/process-registry.ts';
export type { RetentionStore } from '../ports/storage/retention-store.ts';
export type { SessionNamesPage } from '../ports/gateway.ts';
export type { SessionStore } from '../ports/storage/session-store.ts';
export type { SpentTokenStore } from '../ports/storage/spent-token-store.ts';
export type {
  ClaimedEvent,
  EventClaim,
  EventClaimKey,
  EventClaimResult,
  EventCompletion,
  SubscriptionCounts,
  SubscriptionStore,
} from '../ports/storage/subscription-store.ts';
export type { TrafficSelection, TrafficStore } from '../ports/storage/traffic-store.ts';
export type { UploadRegistry } from '../ports/storage/upload-registry.ts';
export type { CastVote, VoteStore } from '../ports/storage/vote-store.ts';
export type { WaitsStep } from '../ports/storage/waits-step.ts';
export type { InstanceQueue, QueuedSince, Workload, WorkloadStore } from '../ports/storage/workload-store.ts';
export type { EndpointStore, EndpointWrite } from '../ports/storage/endpoint-store.ts';
export type { HistoryStore } from '../ports/storage/history-store.ts';
export type {
  NotificationClaim,
  OwedInstanceNotification,
  OwedNotification,
} from '../ports/storage/owed-notification.ts';
export type { WorkspaceStore } from '../ports/storage/workspace-store.ts';
export type { MediaPage, MediaPageRequest, MediaStore } from '../ports/media-store.ts';
export type { Logger } from '../ports/logger.ts';
export { UnavailableError, explainUnavailable, isUnavailable } from '../ports/unavailable-error.ts';
export { createSignals } from '../services/signals.ts';
export type { Signals } from '../services/signals.ts';
export { keepSenders, senderRevision } from '../services/kept-senders.ts';
export type { KeptSenders, SenderPart } from '../services/kept-senders.ts';

// Ids.
export {
  createNewId,
  floorId,
  idsOfOrder,
  idToUuid,
  isId,
  nextId,
  orderOfId,
  uuidToId,
} from '../domain/id.ts';
export type { IdOrder, IdPrefix, IdRange, NewId } from '../domain/id.ts';
export { checkMediaId } from '../domain/message/media-rules.ts';

// Counts over time.
export { TRAFFIC_KINDS } from '../domain/traffic/traffic.ts';
export type { TrafficCounts, TrafficKind, TrafficRow } from '../domain/traffic/traffic.ts';

// Workspaces and keys.
export { isPostponed } from '../domain/workspace/plan-rules.ts';
export { changedWorkspace, DEFAULT_PLAN } from '../domain/workspace/workspace.ts';
export type { Member, Plan, Retention, Workspace, WorkspaceChanges } from '../domain/workspace/workspace.ts';
export type { ApiKey } from '../domain/api-key/api-key.ts';

// Instances and groups.
export { acceptsMessages, INSTANCE_STATUSES, writtenInstance } from '../domain/instance/instance.ts';
export type { Instance, InstanceStatus } from '../domain/instance/instance.ts';
export { ENTRIES_PER_HOUR, floorOfHour } from '../domain/instance/instance-history.ts';
export type { HistoryEntry } from '../domain/instance/instance-history.ts';
export type { GatewayShare, OwnerShare } from '../domain/instance/instance-shares.ts';
export { decideLookup, LOOKUP_KEPT_MS } from '../domain/instance/number-lookup.ts';
export type {
  CountedLookup,
  LookupDecision,
  LookupRequest,
  NumberLookup,
} from '../domain/instance/number-lookup.ts';
export { GROUP_CHANGE_KEPT_MS, limitGroupChange } from '../domain/instance/group-change-limits.ts';
export type {
  CountedGroupChange,
  GroupChangeLimit,
  GroupLimits,
} from '../domain/instance/group-change-limits.ts';
export { newGroupFacts } from '../domain/instance/group.ts';
export type { Group, GroupReport } from '../domain/instance/group.ts';
export { latestHold, latestLeaseEnd, latestRegistration, latestResend } from '../domain/too-far-ahead.ts';

// Contacts.
export { networkIdsOf, numbersOf, summaryOf } from '../domain/contact/contact.ts';
export type { Contact, ContactReport, ContactSummary } from '../domain/contact/contact.ts';
export { decideContact } from '../domain/contact/decide-contact.ts';
export type { ContactDecision } from '../domain/contact/decide-contact.ts';

// Chats.
export {
  chatKeyOf,
  chatKeysOf,
  keyOfCounterpart,
  numberOfKey,
  ownerOfNumber,
} from '../domain/chat/chat-key.ts';
export type { ChatSummary } from '../domain/chat/chat.ts';

// Search.
export { matchesWords, queryWords, searchWords } from '../domain/search/search-words.ts';
export type { SearchedTexts } from '../domain/search/search-words.ts';

// Messages.
export type { Recipient } from '../domain/message/recipient.ts';
export { recipientKeyOf } from '../domain/message/chat.ts';
export { decideAcceptance } from '../domain/message/acceptance.ts';
export type { Acceptance, AcceptanceFacts, AcceptanceResult } from '../domain/message/acceptance.ts';
export {
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  contentIdOf,
  contentNotFree,
} from '../domain/message/message.ts';
export type {
  Message,
  MessageDirection,
  MessageError,
  MessageMedia,
  MessageStatus,
  MessageType,
} from '../domain/message/message.ts';
export { actionEntryId, entryIdOf } from '../domain/message/message-action.ts';
export type { MessageAction } from '../domain/message/message-action.ts';
export { isOutdatedVote } from '../domain/message/vote.ts';
export type { Vote } from '../domain/message/vote.ts';
export { decideActionAcceptance } from '../domain/message/action-acceptance.ts';
export type {
  ActionAcceptance,
  ActionAcceptanceResult,
  ActionKey,
  EditInPlace,
  RememberedAction,
} from '../domain/message/action-acceptance.ts';
export { staysPaced } from '../domain/instance/pace.ts';
export { isDueSoon, isStillLinked, placeOf, timeOfPlace } from '../domain/message/schedule.ts';
export { changeContent } from '../domain/message/content-change.ts';
export type { ContentChange } from '../domain/message/content-change.ts';
export { forgetWords } from '../resources/forgotten-words.ts';
export { failActions, failQueue } from '../services/messages/fail-queue.ts';
export { IDEMPOTENCY_WINDOW_MS } from '../domain/idempotency/idempotency.ts';
export type { IdempotencyRecord } from '../domain/idempotency/idempotency.ts';

// Events and the subscriptions of in-process handlers.
export { EVENT_TYPES, isAboutOneOf } from '../domain/event/event.ts';
export type {
  Event,
  EventRecord,
  EventSubject,
  EventType,
  SubscribableEventType,
} from '../domain/event/event.ts';
export type { EventSubscription } from '../domain/subscription/event-subscription.ts';
export { queuedEventDue } from '../domain/subscription/event-subscription.ts';

// Endpoints and deliveries.
export { HEALTHY, isAsDecidedOn, NO_FAILURES } from '../domain/endpoint/endpoint.ts';
export type {
  DisabledReason,
  Endpoint,
  EndpointHealth,
  EndpointStatus,
  FailureRecord,
} from '../domain/endpoint/endpoint.ts';
export type { EndpointSecrets } from '../domain/endpoint/endpoint-secret.ts';
export { healthAfter, healthWhenClosed } from '../domain/endpoint/endpoint-state.ts';
export { DELIVERY_STATUSES, isOpen } from '../domain/delivery/delivery.ts';
export type {
  Attempt,
  CancellationReason,
  Delivery,
  DeliveryErrorCode,
  DeliveryStatus,
} from '../domain/delivery/delivery.ts';
export {
  cancelledBy,
  dueNow,
  endedWithoutEvent,
  mayRetry,
  requeue,
  withinSchedule,
} from '../domain/delivery/delivery-state.ts';
export type { RequestedAttempt } from '../domain/delivery/delivery-state.ts';
export { newDelivery } from '../domain/delivery/delivery.ts';
export { roomInLane, startsAfter, startsSetBack, throttledUntil } from '../domain/delivery/lane.ts';
export type { LaneLimits } from '../domain/delivery/lane.ts';
export { takeRetryBatch } from '../domain/delivery/retry-round.ts';
export type { RetryRound } from '../domain/delivery/retry-round.ts';
export type { LanePosition, WaitingReason } from '../domain/delivery/waiting.ts';
