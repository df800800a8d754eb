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
  LeasedInstance,
  Member,
  MessageAction,
  OwnerShare,
  ProcessReport,
  ReportedProcess,
  RetryRound,
  Vote,
  Workspace,
} from '@trunkline/core/spi/storage';
import type { Codecs } from './codec.ts';
import { rowMapper } from './columns.ts';
import type { RowMapper } from './columns.ts';
import {
  ACTION_KEY,
  API_KEY,
  ATTEMPT,
  CONTACT,
  DELIVERY,
  DELIVERY_OUTCOME,
  DELIVERY_WAIT,
  DOWNLOAD_PLAN,
  ENDPOINT,
  ENDPOINT_FAILURES,
  ENDPOINT_HEALTH,
  ENDPOINT_SECRETS,
  ENDPOINT_SETTINGS,
  EVENT,
  EVENT_WAIT,
  GROUP,
  HISTORY_ENTRY,
  IDEMPOTENCY_RECORD,
  INSTANCE,
  INSTANCE_STATE,
  LEASE,
  MEMBER,
  MESSAGE_ACTION,
  OWNER_SHARE,
  PROCESS,
  PROCESS_REPORT,
  REPORTED_PROCESS,
  RETRY_ROUND,
  SUBSCRIPTION,
  VOTE,
  WORKSPACE,
} from './entities.ts';
import type {
  DeliveryOutcome,
  DeliveryWait,
  DownloadPlan,
  EndpointSettings,
  EventWait,
  InstanceState,
  StoredProcess,
} from './entities.ts';
import { messageRows } from './message-rows.ts';
import type { MessageRows } from './message-rows.ts';
import type { Row } from './row-reader.ts';

/**
 * How each object of Trunkline is stored as a row. Most columns are the object's fields in snake case. Exceptions
 * include a message's `to` and `from`, which are `recipient` and `sender`.
 */
export interface EntityRows<Stored> extends MessageRows<Stored> {
  readonly workspace: RowMapper<Workspace, Stored>;
  readonly member: RowMapper<Member, Stored>;
  readonly apiKey: RowMapper<ApiKey, Stored>;

  readonly instance: RowMapper<Instance, Stored>;
  /** The fields of an instance that change after it was created. */
  readonly instanceState: RowMapper<InstanceState, Stored>;
  readonly historyEntry: RowMapper<HistoryEntry, Stored>;
  readonly group: RowMapper<Group, Stored>;
  readonly contact: RowMapper<Contact, Stored>;
  /** Reads the row of an instance that has a holder; needs `lease_owner` and `lease_epoch`. */
  readonly leasedInstance: (row: Row) => LeasedInstance;

  /** All columns except those of the idempotency key. */
  readonly messageAction: RowMapper<MessageAction, Stored>;
  /** The columns `idempotency_key` and `fingerprint`, both null without a key. */
  readonly actionKey: RowMapper<ActionKey | null, Stored>;

  readonly vote: RowMapper<Vote, Stored>;

  /** All columns except the key's workspace. */
  readonly idempotencyRecord: RowMapper<IdempotencyRecord, Stored>;

  /** All fields of a pending download except its reference. */
  readonly downloadPlan: RowMapper<DownloadPlan, Stored>;

  readonly endpoint: RowMapper<Endpoint, Stored>;
  /** The fields of an endpoint that change after it was created, except its health. */
  readonly endpointSettings: RowMapper<EndpointSettings, Stored>;
  readonly endpointSecrets: RowMapper<EndpointSecrets, Stored>;
  readonly endpointHealth: RowMapper<EndpointHealth, Stored>;
  /** The fields of an endpoint's health that record its failures. */
  readonly endpointFailures: RowMapper<FailureRecord, Stored>;

  readonly delivery: RowMapper<Delivery, Stored>;
  /** The fields of a delivery that change after it was created. */
  readonly deliveryOutcome: RowMapper<DeliveryOutcome, Stored>;
  /** The fields that `withinSchedule` reads. */
  readonly deliveryWait: RowMapper<DeliveryWait, Stored>;
  /** All columns except the attempt's delivery. */
  readonly attempt: RowMapper<Attempt, Stored>;
  readonly event: RowMapper<Event, Stored>;
  /** The fields that `queuedEventDue` reads. */
  readonly eventWait: RowMapper<EventWait, Stored>;
  readonly subscription: RowMapper<EventSubscription, Stored>;
  /** The columns `retry_round_began_at` and `retry_round_called_at`, both null when no round is in progress. */
  readonly retryRound: RowMapper<RetryRound | null, Stored>;

  /** The share of one owner, as `ProcessRegistry.register` returns it. */
  readonly ownerShare: RowMapper<OwnerShare, Stored>;
  readonly process: RowMapper<StoredProcess, Stored>;
  readonly processReport: RowMapper<ProcessReport, Stored>;
  readonly reportedProcess: RowMapper<ReportedProcess, Stored>;
}

/** Returns the mappers for a database that stores values with these codecs. */
export function entityRows<Stored>(codecs: Codecs<Stored>): EntityRows<Stored> {
  const instance = rowMapper(INSTANCE, codecs);
  const lease = rowMapper(LEASE, codecs);
  const endpointHealth = rowMapper(ENDPOINT_HEALTH, codecs);
  return {
    workspace: rowMapper(WORKSPACE, codecs),
    member: rowMapper(MEMBER, codecs),
    apiKey: rowMapper(API_KEY, codecs),
    instance,
    instanceState: rowMapper(INSTANCE_STATE, codecs),
    historyEntry: rowMapper(HISTORY_ENTRY, codecs),
    group: rowMapper(GROUP, codecs),
    contact: rowMapper(CONTACT, codecs),
    leasedInstance: (row) => ({ instance: instance.read(row), lease: lease.read(row) }),
    ...messageRows(codecs),
    messageAction: rowMapper(MESSAGE_ACTION, codecs),
    actionKey: orNone(rowMapper(ACTION_KEY, codecs)),
    vote: rowMapper(VOTE, codecs),
    idempotencyRecord: rowMapper(IDEMPOTENCY_RECORD, codecs),
    downloadPlan: rowMapper(DOWNLOAD_PLAN, codecs),
    endpoint: withHealth(rowMapper(ENDPOINT, codecs), endpointHealth),
    endpointSettings: rowMapper(ENDPOINT_SETTINGS, codecs),
    endpointSecrets: rowMapper(ENDPOINT_SECRETS, codecs),
    endpointHealth,
    endpointFailures: rowMapper(ENDPOINT_FAILURES, codecs),
    delivery: rowMapper(DELIVERY, codecs),
    deliveryOutcome: rowMapper(DELIVERY_OUTCOME, codecs),
    deliveryWait: rowMapper(DELIVERY_WAIT, codecs),
    attempt: rowMapper(ATTEMPT, codecs),
    event: rowMapper(EVENT, codecs),
    eventWait: rowMapper(EVENT_WAIT, codecs),
    subscription: rowMapper(SUBSCRIPTION, codecs),
    retryRound: orNone(rowMapper(RETRY_ROUND, codecs)),
    ownerShare: rowMapper(OWNER_SHARE, codecs),
    process: rowMapper(PROCESS, codecs),
    processReport: rowMapper(PROCESS_REPORT, codecs),
    reportedProcess: rowMapper(REPORTED_PROCESS, codecs),
  };
}

/** Maps an endpoint and its health, which is an object in columns of the same row. */
function withHealth<Stored>(
  own: RowMapper<Omit<Endpoint, 'health'>, Stored>,
  health: RowMapper<EndpointHealth, Stored>,
): RowMapper<Endpoint, Stored> {
  return {
    kinds: { ...own.kinds, ...health.kinds },
    columns: (endpoint) => ({ ...own.columns(endpoint), ...health.columns(endpoint.health) }),
    read: (row) => ({ ...own.read(row), health: health.read(row) }),
  };
}

/** Maps an object that may be missing, in which case all its columns are null. */
function orNone<Entity, Stored>({
  kinds,
  columns,
  read,
}: RowMapper<Entity, Stored>): RowMapper<Entity | null, Stored> {
  const names = Object.keys(kinds);
  const none = Object.fromEntries(names.map((name) => [name, null]));
  return {
    kinds,
    columns: (entity) => (entity === null ? { ...none } : columns(entity)),
    read: (row) => (names.every((name) => row[name] === null) ? null : read(row)),
  };
}
