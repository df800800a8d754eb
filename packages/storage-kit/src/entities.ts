import type {
  ActionKey,
  ApiKey,
  Attempt,
  Contact,
  Delivery,
  Endpoint,
  EndpointHealth,
  EndpointSecrets,
  Event,
  EventSubscription,
  FailureRecord,
  Group,
  HistoryEntry,
  IdempotencyRecord,
  Instance,
  Lease,
  Member,
  Message,
  MessageAction,
  OwnerShare,
  ProcessReport,
  ReportedProcess,
  PendingDownload,
  RetryRound,
  Vote,
  Workspace,
} from '@trunkline/core/spi/storage';
import { flag, id, integer, json, orNull, text, word, words } from './columns.ts';
import type { ColumnsOf } from './columns.ts';

// The columns of each object. A part of an object that is also written separately has its own map.

export const WORKSPACE: ColumnsOf<Workspace> = {
  id: id('id', 'ten'),
  name: text('name'),
  plan: json('plan'),
  trialMessagesUsed: integer('trial_messages_used'),
  suspendedAt: orNull(integer('suspended_at')),
  retention: orNull(json('retention')),
  createdAt: integer('created_at'),
};

export const MEMBER: ColumnsOf<Member> = {
  id: id('id', 'mem'),
  workspaceId: id('workspace_id', 'ten'),
  email: text('email'),
  emailVerified: flag('email_verified'),
  administersWebhooks: flag('administers_webhooks'),
  createdAt: integer('created_at'),
};

export const API_KEY: ColumnsOf<ApiKey> = {
  id: id('id', 'key'),
  workspaceId: id('workspace_id', 'ten'),
  memberId: orNull(id('member_id', 'mem')),
  name: text('name'),
  scopes: json('scopes'),
  hash: text('hash'),
  prefix: orNull(text('prefix')),
  createdAt: integer('created_at'),
  expiresAt: orNull(integer('expires_at')),
  revokedAt: orNull(integer('revoked_at')),
  lastUsedAt: orNull(integer('last_used_at')),
};

export type InstanceState = Omit<Instance, 'id' | 'workspaceId' | 'createdAt'>;

export const INSTANCE_STATE: ColumnsOf<InstanceState> = {
  name: text('name'),
  network: text('network'),
  status: word('status'),
  desired: word('desired'),
  phoneNumber: orNull(text('phone_number')),
  profileName: orNull(text('profile_name')),
  profilePictureUrl: orNull(text('profile_picture_url')),
  capabilities: orNull(json('capabilities')),
  lastError: orNull(text('last_error')),
  restriction: orNull(json('restriction')),
  droppedAt: orNull(integer('dropped_at')),
  qr: orNull(json('qr')),
  passkey: orNull(json('passkey')),
  pairingNumber: orNull(text('pairing_number')),
  sealedProxyUrl: orNull(text('sealed_proxy_url')),
  sealedCredentials: orNull(text('sealed_credentials')),
  pace: orNull(word('pace')),
  operation: orNull(json('operation')),
  operationOutcome: orNull(json('operation_outcome')),
  logoutRefused: flag('logout_refused'),
  statusChangedAt: orNull(integer('status_changed_at')),
  linkedAt: orNull(integer('linked_at')),
  connectedAt: orNull(integer('connected_at')),
  disconnectedAt: orNull(integer('disconnected_at')),
  lastSeenAt: orNull(integer('last_seen_at')),
  downSince: orNull(integer('down_since')),
  downNotifiedAt: orNull(integer('down_notified_at')),
  updatedAt: integer('updated_at'),
  version: integer('version'),
};

export const INSTANCE: ColumnsOf<Instance> = {
  id: id('id', 'ins'),
  workspaceId: id('workspace_id', 'ten'),
  createdAt: integer('created_at'),
  ...INSTANCE_STATE,
};

/** The columns of an instance's row that belong to its lease. */
export const LEASE: ColumnsOf<Lease> = {
  instanceId: id('id', 'ins'),
  owner: text('lease_owner'),
  epoch: integer('lease_epoch'),
};

export const HISTORY_ENTRY: ColumnsOf<HistoryEntry> = {
  id: id('id', 'hst'),
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  reason: word('reason'),
  causedBy: word('caused_by'),
  from: orNull(word('status_before')),
  to: orNull(word('status_after')),
  code: orNull(text('code')),
  networkCode: orNull(text('network_code')),
  next: orNull(json('next_step')),
  process: orNull(text('process')),
  previousProcess: orNull(text('previous_process')),
  at: integer('at'),
  count: integer('times'),
  lastAt: integer('last_at'),
};

export const GROUP: ColumnsOf<Group> = {
  id: id('id', 'grp'),
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  networkId: text('network_id'),
  name: text('name'),
  participantsCount: integer('participants_count'),
  isMember: flag('is_member'),
  syncedAt: integer('synced_at'),
};

export const CONTACT: ColumnsOf<Contact> = {
  id: id('id', 'con'),
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  networkId: text('network_id'),
  aliases: json('aliases'),
  formerIds: json('former_ids'),
  phoneNumber: orNull(text('phone_number')),
  dialledNumbers: json('dialled_numbers'),
  name: orNull(text('name')),
  username: orNull(text('username')),
  createdAt: integer('created_at'),
};

/** The fields that few messages have, in a column of JSON; see `message-rows.ts`. */
export type MessageDetails = Pick<
  Message,
  'replyTo' | 'sendAt' | 'kind' | 'payload' | 'origin' | 'editedAt' | 'deletedAt' | 'traceparent'
>;
/** The fields of a message that have a column each. */
type MessageColumn = Exclude<keyof Message, keyof MessageDetails | 'contact'>;

export type MessageState = Omit<
  Message,
  'id' | 'workspaceId' | 'instanceId' | 'networkId' | 'direction' | 'type' | 'createdAt' | 'contact'
>;

/**
 * The content of a message, except the part in its details. Once the message has left its queue, only activities and
 * downloads change these fields.
 */
type MessageSays = 'text' | 'caption' | 'media';

export const MESSAGE_PROGRESS: ColumnsOf<
  Pick<MessageState, Exclude<MessageColumn & keyof MessageState, MessageSays>>
> = {
  status: word('status'),
  to: orNull(text('recipient')),
  from: orNull(text('sender')),
  groupId: orNull(id('group_id', 'grp')),
  error: orNull(json('error')),
  queuedAt: orNull(integer('queued_at')),
  sentAt: orNull(integer('sent_at')),
  deliveredAt: orNull(integer('delivered_at')),
  readAt: orNull(integer('read_at')),
  failedAt: orNull(integer('failed_at')),
  receivedAt: orNull(integer('received_at')),
};

/** Indexes contain none of these columns except the status. */
export const MESSAGE_STATE: ColumnsOf<Pick<MessageState, MessageColumn & keyof MessageState>> = {
  ...MESSAGE_PROGRESS,
  text: orNull(text('text')),
  caption: orNull(text('caption')),
  media: orNull(json('media')),
};

export type MessageContent = Omit<Message, 'workspaceId' | 'instanceId'>;

export const MESSAGE_CONTENT: ColumnsOf<Pick<MessageContent, MessageColumn & keyof MessageContent>> = {
  id: id('id', 'msg'),
  networkId: text('network_id'),
  direction: word('direction'),
  type: word('type'),
  createdAt: integer('created_at'),
  ...MESSAGE_STATE,
};

export const MESSAGE: ColumnsOf<Pick<Message, MessageColumn>> = {
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  ...MESSAGE_CONTENT,
};

export const MESSAGE_ACTION: ColumnsOf<MessageAction> = {
  id: id('id', 'act'),
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  messageId: id('message_id', 'msg'),
  networkId: text('network_id'),
  recipient: text('recipient'),
  kind: word('kind'),
  emoji: orNull(text('emoji')),
  text: orNull(text('text')),
  status: word('status'),
  error: orNull(json('error')),
  createdAt: integer('created_at'),
  sentAt: orNull(integer('sent_at')),
  failedAt: orNull(integer('failed_at')),
};

export const VOTE: ColumnsOf<Vote> = {
  id: id('id', 'vot'),
  workspaceId: id('workspace_id', 'ten'),
  messageId: id('message_id', 'msg'),
  contactId: orNull(id('contact_id', 'con')),
  options: json('options'),
  votedAt: integer('voted_at'),
};

/** The idempotency key of an action, whose columns are null without one. */
export const ACTION_KEY: ColumnsOf<ActionKey> = {
  key: text('idempotency_key'),
  fingerprint: text('fingerprint'),
};

export const IDEMPOTENCY_RECORD: ColumnsOf<IdempotencyRecord> = {
  key: text('key'),
  fingerprint: text('fingerprint'),
  messageId: id('message_id', 'msg'),
  createdAt: integer('created_at'),
};

/** The fields of a pending download except its reference, whose bytes each database binds in its own way. */
export type DownloadPlan = Omit<PendingDownload, 'sealedReference'>;

export const DOWNLOAD_PLAN: ColumnsOf<DownloadPlan> = {
  messageId: id('message_id', 'msg'),
  workspaceId: id('workspace_id', 'ten'),
  instanceId: id('instance_id', 'ins'),
  tries: integer('tries'),
  dueAt: integer('due_at'),
  expiresAt: integer('expires_at'),
};

export const ENDPOINT_FAILURES: ColumnsOf<FailureRecord> = {
  failingSince: orNull(integer('failing_since')),
  exhausted: flag('exhausted'),
  warnedAt: orNull(integer('warned_at')),
};

export const ENDPOINT_HEALTH: ColumnsOf<EndpointHealth> = {
  lastDelivery: orNull(json('last_delivery')),
  lastSuccessAt: orNull(integer('last_success_at')),
  ...ENDPOINT_FAILURES,
};

export type EndpointSettings = Omit<Endpoint, 'id' | 'workspaceId' | 'createdAt' | 'health'>;

export const ENDPOINT_SECRETS: ColumnsOf<EndpointSecrets> = {
  sealedSecret: text('sealed_secret'),
  sealedPreviousSecret: orNull(text('sealed_previous_secret')),
  secretBeginsAt: orNull(integer('secret_begins_at')),
};

export const ENDPOINT_SETTINGS: ColumnsOf<EndpointSettings> = {
  url: text('url'),
  description: orNull(text('description')),
  events: words('events'),
  instances: orNull(words('instances')),
  status: word('status'),
  ...ENDPOINT_SECRETS,
  secretHint: text('secret_hint'),
  disabledAt: orNull(integer('disabled_at')),
  disabledReason: orNull(word('disabled_reason')),
  traceContext: flag('trace_context'),
  updatedAt: integer('updated_at'),
  version: integer('version'),
};

/** The fields of an endpoint except its health. */
export const ENDPOINT: ColumnsOf<Omit<Endpoint, 'health'>> = {
  id: id('id', 'wh'),
  workspaceId: id('workspace_id', 'ten'),
  createdAt: integer('created_at'),
  ...ENDPOINT_SETTINGS,
};

export type DeliveryOutcome = Pick<
  Delivery,
  | 'status'
  | 'attempts'
  | 'manual'
  | 'nextRetryAt'
  | 'responseStatus'
  | 'errorCode'
  | 'lastAttemptAt'
  | 'deliveredAt'
>;

export const DELIVERY_OUTCOME: ColumnsOf<DeliveryOutcome> = {
  status: word('status'),
  attempts: integer('attempts'),
  manual: flag('manual'),
  nextRetryAt: orNull(integer('next_retry_at')),
  responseStatus: orNull(integer('response_status')),
  errorCode: orNull(word('error_code')),
  lastAttemptAt: orNull(integer('last_attempt_at')),
  deliveredAt: orNull(integer('delivered_at')),
};

export const DELIVERY: ColumnsOf<Delivery> = {
  id: id('id', 'whd'),
  workspaceId: id('workspace_id', 'ten'),
  endpointId: id('webhook_id', 'wh'),
  eventId: id('event_id', 'evt'),
  eventType: word('event_type'),
  eventOccurredAt: integer('event_occurred_at'),
  maxAttempts: integer('max_attempts'),
  createdAt: integer('created_at'),
  ...DELIVERY_OUTCOME,
};

export const ATTEMPT: ColumnsOf<Attempt> = {
  number: integer('number'),
  manual: flag('manual'),
  url: text('url'),
  responseStatus: orNull(integer('response_status')),
  responseBody: orNull(text('response_body')),
  durationMs: integer('duration_ms'),
  errorCode: orNull(word('error_code')),
  at: integer('at'),
};

export const EVENT: ColumnsOf<Event> = {
  id: id('id', 'evt'),
  workspaceId: id('workspace_id', 'ten'),
  type: word('type'),
  occurredAt: integer('occurred_at'),
  payload: text('payload'),
};

export const SUBSCRIPTION: ColumnsOf<EventSubscription> = {
  id: id('id', 'sub'),
  name: text('name'),
  eventTypes: words('event_types'),
  createdAt: integer('created_at'),
};

export const RETRY_ROUND: ColumnsOf<RetryRound> = {
  beganAt: integer('retry_round_began_at'),
  calledAt: integer('retry_round_called_at'),
};

/** The fields of a delivery that decide, together with the time at which it is due, how long it may still wait. */
export type DeliveryWait = Pick<Delivery, 'status' | 'attempts' | 'nextRetryAt'>;

export const DELIVERY_WAIT: ColumnsOf<DeliveryWait> = {
  status: DELIVERY_OUTCOME.status,
  attempts: DELIVERY_OUTCOME.attempts,
  nextRetryAt: DELIVERY_OUTCOME.nextRetryAt,
};

/** The fields that decide when an event in the queue of a subscription is due. */
export interface EventWait {
  readonly dueAt: number;
  readonly attempts: number;
  /** The token of the claim; null if the event is not claimed. */
  readonly token: number | null;
}

export const EVENT_WAIT: ColumnsOf<EventWait> = {
  dueAt: integer('due_at'),
  attempts: integer('attempts'),
  token: orNull(integer('token')),
};

export const OWNER_SHARE: ColumnsOf<OwnerShare> = {
  owner: text('owner'),
  held: integer('held'),
  registeredAt: integer('checked_in_at'),
  asksUntil: integer('asks_until'),
};

export const PROCESS_REPORT: ColumnsOf<ProcessReport> = {
  name: text('name'),
  roles: words('roles'),
  startedAt: integer('started_at'),
  reportedAt: integer('reported_at'),
  vitals: orNull(json('vitals')),
};

export const REPORTED_PROCESS: ColumnsOf<ReportedProcess> = { ...PROCESS_REPORT, held: integer('held') };

/** A process as `thisProcess` of `@trunkline/core/node` returns it. */
export interface StoredProcess {
  readonly machine: string;
  readonly namespace: string;
  readonly pid: number;
  readonly startedAt: string;
}

export const PROCESS: ColumnsOf<StoredProcess> = {
  machine: text('machine'),
  namespace: text('namespace'),
  pid: integer('pid'),
  startedAt: text('started_at'),
};
