import { createNewId } from '@trunkline/core/spi/storage';
import type {
  ApiKey,
  Attempt,
  ClaimedDelivery,
  Completion,
  Delivery,
  DeliveryClaim,
  Endpoint,
  EventRecord,
  EventSubscription,
  HistoryEntry,
  IdempotencyRecord,
  Instance,
  Member,
  Message,
  MessageAction,
  NewId,
  OwedInstanceNotification,
  OwedNotification,
  PendingDownload,
  RecordedActivity,
  Workspace,
} from '@trunkline/core/spi/storage';

/** The time at which the tests take place. */
export const NOW: number = Date.UTC(2026, 10, 20, 12);

export const DAY: number = 24 * 60 * 60 * 1000;

/** The beginning of the day of `NOW`, in UTC. */
export const MIDNIGHT: number = NOW - (NOW % DAY);

let made = 0;

/** Random, so that each process makes different ids. */
const OF_THIS_PROCESS = crypto.getRandomValues(new Uint8Array(16));

/**
 * Makes ids of exactly the given time, even if the time jumps back. Ids of one millisecond sort in the order of their
 * creation.
 */
export const testId: NewId = (prefix, now) => {
  made += 1;
  const sequence = made;
  return createNewId((length) => {
    const bytes = OF_THIS_PROCESS.slice(0, length);
    // `createNewId` starts its counter for a new millisecond from these bytes.
    bytes.set([sequence >> 16, sequence >> 8, sequence], 6);
    return bytes;
  })(prefix, now);
};

export function aWorkspace(changes: Partial<Workspace> = {}): Workspace {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('ten', createdAt),
    name: 'Acme',
    plan: { subscription: 'active', instanceLimit: null, trialMessageLimit: null, webhookLimit: 5 },
    trialMessagesUsed: 0,
    suspendedAt: null,
    retention: null,
    createdAt,
    ...changes,
  };
}

export function aMember(workspace: Pick<Workspace, 'id'>, changes: Partial<Member> = {}): Member {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('mem', createdAt),
    workspaceId: workspace.id,
    email: 'ada@example.com',
    emailVerified: true,
    administersWebhooks: true,
    createdAt,
    ...changes,
  };
}

export function anApiKey(workspace: Pick<Workspace, 'id'>, changes: Partial<ApiKey> = {}): ApiKey {
  const createdAt = changes.createdAt ?? NOW;
  const id = testId('key', createdAt);
  return {
    id,
    workspaceId: workspace.id,
    memberId: null,
    name: 'ci',
    scopes: ['messages:read', 'messages:send'],
    hash: `hash of ${id}`,
    prefix: 'trk_ü',
    createdAt,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...changes,
  };
}

/** A connected instance. */
export function anInstance(workspace: Workspace, changes: Partial<Instance> = {}): Instance {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('ins', createdAt),
    workspaceId: workspace.id,
    name: 'Front desk',
    network: 'sandbox',
    status: 'connected',
    desired: 'running',
    phoneNumber: '15550100',
    profileName: 'Acme',
    profilePictureUrl: null,
    capabilities: null,
    lastError: null,
    restriction: null,
    droppedAt: null,
    qr: null,
    passkey: null,
    pairingNumber: null,
    sealedProxyUrl: null,
    sealedCredentials: null,
    pace: null,
    operation: null,
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: createdAt,
    linkedAt: createdAt,
    connectedAt: createdAt,
    disconnectedAt: null,
    lastSeenAt: null,
    downSince: null,
    downNotifiedAt: null,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    ...changes,
  };
}

/** A queued outbound message. */
export function aMessage(instance: Instance, changes: Partial<Message> = {}): Message {
  const createdAt = changes.createdAt ?? NOW;
  const id = testId('msg', createdAt);
  return {
    id,
    workspaceId: instance.workspaceId,
    instanceId: instance.id,
    networkId: `network id of ${id}`,
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to: '15550199',
    from: '15550100',
    groupId: null,
    contact: null,
    replyTo: null,
    sendAt: null,
    kind: changes.type ?? 'text',
    payload: null,
    origin: changes.direction === 'inbound' ? null : 'api',
    text: 'Grüße 👋',
    caption: null,
    media: null,
    error: null,
    createdAt,
    queuedAt: createdAt,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    receivedAt: null,
    editedAt: null,
    deletedAt: null,
    traceparent: null,
    ...changes,
  };
}

export function anInboundMessage(instance: Instance, changes: Partial<Message> = {}): Message {
  const createdAt = changes.createdAt ?? NOW;
  return aMessage(instance, {
    direction: 'inbound',
    status: 'received',
    from: '15550199',
    to: '15550100',
    replyTo: testId('msg', createdAt),
    sendAt: createdAt + 3,
    kind: 'location',
    payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza \u0000\ud800', address: null },
    queuedAt: null,
    sentAt: createdAt - 1500,
    editedAt: createdAt + 1,
    deletedAt: createdAt + 2,
    receivedAt: createdAt,
    ...changes,
  });
}

/** The pending download of an inbound message's file. */
export function aDownload(
  { id, workspaceId, instanceId }: Message,
  changes: Partial<PendingDownload> = {},
): PendingDownload {
  return {
    messageId: id,
    workspaceId,
    instanceId,
    sealedReference: Uint8Array.of(2, 0, 255),
    tries: 0,
    dueAt: NOW + 60_000,
    expiresAt: NOW + DAY,
    ...changes,
  };
}

/** An activity that changes no message and has an event. */
export function anActivity(event: EventRecord, changes: Partial<RecordedActivity> = {}): RecordedActivity {
  return { key: 'a digest', recordedAt: NOW, change: null, event, ...changes };
}

export function anAction(message: Message, changes: Partial<MessageAction> = {}): MessageAction {
  const createdAt = changes.createdAt ?? NOW;
  const id = testId('act', createdAt);
  return {
    id,
    workspaceId: message.workspaceId,
    instanceId: message.instanceId,
    messageId: message.id,
    networkId: `network id of ${id}`,
    recipient: message.from ?? message.to ?? '',
    kind: 'reaction',
    emoji: '👍',
    text: null,
    status: 'queued',
    error: null,
    createdAt,
    sentAt: null,
    failedAt: null,
    ...changes,
  };
}

export function anIdempotencyRecord(
  message: Message,
  changes: Partial<IdempotencyRecord> = {},
): IdempotencyRecord {
  return {
    key: 'order-1',
    fingerprint: 'what was asked for',
    messageId: message.id,
    createdAt: message.createdAt,
    ...changes,
  };
}

export function anEndpoint(workspace: Workspace, changes: Partial<Endpoint> = {}): Endpoint {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('wh', createdAt),
    workspaceId: workspace.id,
    url: 'https://example.com/hook',
    description: null,
    events: ['message.received', 'message.sent'],
    status: 'enabled',
    traceContext: false,
    instances: null,
    sealedSecret: 'sealed',
    sealedPreviousSecret: null,
    secretBeginsAt: null,
    secretHint: '…abcd',
    disabledAt: null,
    disabledReason: null,
    health: { lastDelivery: null, lastSuccessAt: null, failingSince: null, exhausted: false, warnedAt: null },
    createdAt,
    updatedAt: createdAt,
    version: 1,
    ...changes,
  };
}

/** An event at `at` (epoch milliseconds). The payload is the body that a receiver gets. */
export function anEvent(
  workspace: { readonly id: string },
  at: number = NOW,
  changes: Partial<EventRecord> = {},
): EventRecord {
  const { id = testId('evt', at), type = 'message.received' } = changes;
  const body = { id, type, created_at: new Date(at).toISOString(), workspace_id: workspace.id };
  return {
    id,
    workspaceId: workspace.id,
    type,
    occurredAt: at * 1000 + 321,
    payload: JSON.stringify({ ...body, data: { text: 'Grüße 👋' } }),
    subject: { instanceId: null, messageId: null },
    ...changes,
  };
}

export function aSubscription(changes: Partial<EventSubscription> = {}): EventSubscription {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('sub', createdAt),
    name: 'orders',
    eventTypes: ['message.received', 'message.failed'],
    createdAt,
    ...changes,
  };
}

export function aNotification(endpoint: Endpoint, changes: Partial<OwedNotification> = {}): OwedNotification {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('ntc', createdAt),
    workspaceId: endpoint.workspaceId,
    webhookId: endpoint.id,
    kind: 'webhook_failing',
    url: endpoint.url,
    failingSince: createdAt - 1000,
    createdAt,
    ...changes,
  };
}

export function anInstanceNotification(
  { id, workspaceId, name, phoneNumber, status, lastError }: Instance,
  changes: Partial<OwedInstanceNotification> = {},
): OwedInstanceNotification {
  const createdAt = changes.createdAt ?? NOW;
  return {
    id: testId('ntc', createdAt),
    workspaceId,
    kind: 'instance_down',
    instance: {
      id,
      name,
      phoneNumber,
      status,
      lastError,
      downSince: createdAt - 1000,
      upSince: null,
      next: { kind: 'reconnect', at: null },
    },
    createdAt,
    ...changes,
  };
}

/** An entry in the history of an instance, in which no field is null. */
export function aHistoryEntry(
  { id, workspaceId }: Instance,
  changes: Partial<HistoryEntry> = {},
): HistoryEntry {
  const at = changes.at ?? NOW;
  return {
    id: testId('hst', at),
    workspaceId,
    instanceId: id,
    reason: 'connection_dropped',
    causedBy: 'gateway',
    from: 'connected',
    to: 'connecting',
    code: 'connection_lost',
    networkCode: '428',
    next: { kind: 'reconnect', at: at + 12_000 },
    process: 'process-1',
    previousProcess: 'process-0',
    at,
    count: 1,
    lastAt: at,
    ...changes,
  };
}

/** A claim of due deliveries, with the usual limits. */
export function claimAt(now: number, changes: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return { now, limit: 100, leaseMs: 30_000, slots: 2, startsPerWindow: 120, windowMs: 60_000, ...changes };
}

export function succeeded(claimed: ClaimedDelivery, at: number): Completion {
  const attempt = anAttempt(claimed, at, { responseStatus: 200, responseBody: 'ok', errorCode: null });
  const delivery = { ...attempted(claimed, attempt), status: 'success', deliveredAt: at } as const;
  return { token: claimed.token, delivery, attempt };
}

/** An attempt that failed with status 500. The retry is due a minute later unless `changes` says otherwise. */
export function failed(claimed: ClaimedDelivery, at: number, changes: Partial<Delivery> = {}): Completion {
  const attempt = anAttempt(claimed, at, {
    responseStatus: 500,
    responseBody: 'oops',
    errorCode: 'HTTP_ERROR',
  });
  const retrying = { status: 'retrying', nextRetryAt: at + 60_000 } as const;
  return {
    token: claimed.token,
    delivery: { ...attempted(claimed, attempt), ...retrying, ...changes },
    attempt,
  };
}

export function exhausted(claimed: ClaimedDelivery, at: number): Completion {
  return failed(claimed, at, { status: 'exhausted', nextRetryAt: null });
}

function anAttempt(claimed: ClaimedDelivery, at: number, outcome: Partial<Attempt>): Attempt {
  return {
    number: claimed.delivery.attempts + 1,
    manual: claimed.delivery.manual,
    url: claimed.endpoint.url,
    responseStatus: null,
    responseBody: null,
    durationMs: 12,
    errorCode: null,
    at,
    ...outcome,
  };
}

function attempted({ delivery }: ClaimedDelivery, attempt: Attempt): Delivery {
  const { number: attempts, responseStatus, errorCode, at: lastAttemptAt } = attempt;
  return {
    ...delivery,
    attempts,
    manual: false,
    nextRetryAt: null,
    responseStatus,
    errorCode,
    lastAttemptAt,
  };
}
