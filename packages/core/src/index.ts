// The exports for apps, in two tiers: the operations with their results, and the parts that an app may provide. Authors
// of storages, gateways, runtimes and HTTP adapters find the rest in `./spi/storage`, `./spi/gateway`, `./spi/runtime`
// and `./spi/http`. If two of these entry points export the same name, it is the same declaration. The exports are listed
// in test/exports/core.txt at the root of the repository.

// Tier 1: the service and its operations.
export { createTrunkline } from './create-trunkline.ts';
export type { TrunklineOptions } from './options.ts';
export type { Principal, Trunkline } from './trunkline.ts';
export type { Roles } from './workers/workers.ts';
export type {
  ActionOptions,
  ActionResult,
  NewGroupResult,
  ListResult,
  PageResult,
  SendOptions,
  SendResult,
  StreamOptions,
  WebhookList,
  WorkspaceApi,
} from './workspace-api.ts';
export type { ContactCardInput, SendContactInput } from './services/message-kinds/contact.ts';
export type { SendMediaInput, SendStickerInput } from './services/message-kinds/files.ts';
export type { SendLocationInput } from './services/message-kinds/location.ts';
export type { SendInput } from './services/message-kinds/message-kinds.ts';
export type { SendPollInput } from './services/message-kinds/poll.ts';
export type { SendTextInput } from './services/message-kinds/text.ts';
export type { EventStream, StreamedEvent } from './services/events/streams.ts';
export type { Upload } from './services/media/uploads.ts';
export type { MediaDownload } from './services/messages/messages.ts';
export type { Admin } from './admin-api.ts';
export type { ApiKeyInfo, NewApiKey } from './services/admin/api-keys.ts';
export type { FirstApiKey } from './services/admin/first-api-key.ts';
export type { NewMember } from './services/admin/members.ts';
export type { SubscriptionInfo } from './services/admin/subscriptions.ts';
export type { NewWorkspace } from './services/admin/workspaces.ts';
export type { ServiceProcess } from './services/admin/processes.ts';
export type { StorageDescription } from './ports/storage/storage.ts';
export type { ProcessReport, ReportedProcess } from './ports/storage/process-registry.ts';
export type { ProcessMonitor, ProcessVitals } from './ports/process-monitor.ts';
export type { InstanceQueue, QueuedSince, Workload } from './ports/storage/workload-store.ts';
export type { ErasedPerson, EraseOptions } from './services/people/erase-person.ts';
export type {
  ExportedContact,
  ExportedItem,
  ExportedVote,
  ExportOptions,
} from './services/people/export-person.ts';
export type { PersonInput } from './services/people/find-person.ts';
export type { PersonProgress } from './services/people/person-records.ts';
export type { Member, Plan, Retention, Workspace } from './domain/workspace/workspace.ts';

// Events that are handled in process.
export type {
  EventContext,
  EventHandler,
  EventSelection,
  HandlerOptions,
  HandlerRegistration,
  SelectedEvent,
} from './event-handler.ts';
export { OPT_IN_EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from './domain/event/event.ts';
export type { OptInEventType, SubscribableEventType } from './domain/event/event.ts';

// The shapes of the API: what the operations take and return.
export type { EventPageQuery, EventQuery, EventStreamQuery } from './inputs/events.ts';
export type {
  ConnectInput,
  HistoryQuery,
  InstanceInput,
  LookupInput,
  NewInstanceInput,
  PasskeyAnswerInput,
  TypingInput,
} from './inputs/instances.ts';
export type {
  GroupInput,
  JoinDecisionInput,
  JoinGroupInput,
  NewGroupInput,
  ParticipantsInput,
} from './inputs/groups.ts';
export type { DeliveryQuery, SecretRotation, WebhookChanges, WebhookInput } from './inputs/webhooks.ts';
export type { ChatQuery } from './inputs/chats.ts';
export type { TrafficPeriodQuery, TrafficQuery, WebhookTrafficQuery } from './inputs/traffic.ts';
export type { ActionQuery, EditInput, ReactionInput, VoteQuery } from './inputs/message-actions.ts';
export type { MessageQuery, ScheduledQuery } from './inputs/messages.ts';
export type { ApiKeyResource } from './resources/api-key.ts';
export type {
  GroupDetailResource,
  GroupInviteResource,
  GroupParticipantResource,
  GroupPersonResource,
  GroupResource,
  JoinedGroupResource,
  JoinRequestResource,
  NewGroupResource,
  ParticipantOutcomeName,
  ParticipantResultResource,
} from './resources/group.ts';
export type { InstanceResource, PasskeyResource, QrResource } from './resources/instance.ts';
export type { PasskeyDescriptor, PasskeyRequestOptions } from './domain/instance/passkey.ts';
export type { NumberLookupResource } from './resources/number-lookup.ts';
export type { NetworkResource } from './resources/network.ts';
export type { LinkPage, LinkPages } from './link-pages.ts';
export type { CredentialField } from './ports/gateway.ts';
export type { InstanceHistoryResource } from './resources/instance-history.ts';
export type { HistoryCause, HistoryReason } from './domain/instance/instance-history.ts';
export type { ChatMessageResource, ChatResource } from './resources/chat.ts';
export type { MessageActionResource } from './resources/message-action.ts';
export type { MessageResource } from './resources/message.ts';
export type { VoteResource } from './resources/vote.ts';
export type { MessageStandingResource } from './resources/message-standing.ts';
export type { StandingCode } from './domain/message/message-standing.ts';
export type {
  AttemptResource,
  DeliveryDetailResource,
  DeliveryResource,
  WebhookResource,
  WebhookResourceWithSecret,
} from './resources/webhook.ts';
export type {
  AttemptCounts,
  DurationsResource,
  MessageCounts,
  TrafficResource,
  WebhookTrafficResource,
} from './resources/traffic.ts';
export type { TrafficStep } from './domain/traffic/traffic.ts';
export type { MediaType } from './domain/message/media-rules.ts';
export { SCOPES } from './domain/api-key/api-key.ts';
export type { Scope } from './domain/api-key/api-key.ts';

// The errors of the operations.
export { TrunklineError, isTrunklineError } from './trunkline-error.ts';
export type { ErrorCode } from './domain/error-code.ts';
export type { ErrorDetails } from './domain/result.ts';

// Tier 2: the options that are objects with methods. An app passes them on, or implements the small ones itself.
export type { Gateway } from './ports/gateway.ts';
export type { Storage } from './ports/storage/storage.ts';
export type { MediaPage, MediaPageRequest, MediaStore } from './ports/media-store.ts';
export type {
  DownInstance,
  InstanceNotification,
  Notification,
  Notifier,
  WebhookNotification,
} from './ports/notifier.ts';
export { nextStepText } from './domain/instance/next-step.ts';
export type { NextStep, NextStepKind } from './domain/instance/next-step.ts';
export { silentLogger } from './ports/logger.ts';
export type { Logger } from './ports/logger.ts';
export type { UrlPolicy } from './domain/endpoint/address-rules.ts';
export type { OwnAddress } from './domain/endpoint/host-rules.ts';
