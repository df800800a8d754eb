import type { ApiKey } from '../../src/domain/api-key/api-key.ts';
import type { Delivery } from '../../src/domain/delivery/delivery.ts';
import { MAX_ATTEMPTS } from '../../src/domain/delivery/retry-schedule.ts';
import { HEALTHY } from '../../src/domain/endpoint/endpoint.ts';
import type { Endpoint } from '../../src/domain/endpoint/endpoint.ts';
import type { Instance } from '../../src/domain/instance/instance.ts';
import type { Message } from '../../src/domain/message/message.ts';
import { DEFAULT_PLAN } from '../../src/domain/workspace/workspace.ts';
import type { Member, Workspace } from '../../src/domain/workspace/workspace.ts';

/** The time of the examples, which are one valid object of each kind; a test may vary them. */
export const NOW: number = Date.UTC(2026, 0, 1, 12);

const SUFFIX = '01jgfjjv00fsnvdjzy0jcm5xh8';
const WORKSPACE_ID = `ten_${SUFFIX}`;

export function exampleInstance(changes: Partial<Instance> = {}): Instance {
  return {
    id: `ins_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    name: 'Support',
    network: 'sandbox',
    status: 'created',
    desired: 'stopped',
    phoneNumber: null,
    profileName: null,
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
    statusChangedAt: NOW,
    linkedAt: null,
    connectedAt: null,
    disconnectedAt: null,
    lastSeenAt: null,
    downSince: null,
    downNotifiedAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    version: 0,
    ...changes,
  };
}

export function exampleMessage(changes: Partial<Message> = {}): Message {
  return {
    id: `msg_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    instanceId: `ins_${SUFFIX}`,
    networkId: 'NET1',
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to: '34600000009',
    from: '34911111111',
    groupId: null,
    contact: null,
    replyTo: null,
    sendAt: null,
    kind: changes.type ?? 'text',
    payload: null,
    origin: changes.direction === 'inbound' ? null : 'api',
    text: 'Hello',
    caption: null,
    media: null,
    error: null,
    createdAt: NOW,
    queuedAt: NOW,
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

export function exampleDelivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: `whd_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    endpointId: `wh_${SUFFIX}`,
    eventId: `evt_${SUFFIX}`,
    eventType: 'message.sent',
    eventOccurredAt: NOW * 1000,
    status: 'pending',
    attempts: 0,
    maxAttempts: MAX_ATTEMPTS,
    manual: false,
    nextRetryAt: null,
    responseStatus: null,
    errorCode: null,
    lastAttemptAt: null,
    deliveredAt: null,
    createdAt: NOW,
    ...changes,
  };
}

export function exampleEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  return {
    id: `wh_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    url: 'https://hooks.example.com/',
    description: null,
    events: ['message.sent'],
    status: 'enabled',
    traceContext: false,
    instances: null,
    sealedSecret: 'sealed',
    sealedPreviousSecret: null,
    secretBeginsAt: null,
    secretHint: '…abcd',
    disabledAt: null,
    disabledReason: null,
    health: HEALTHY,
    createdAt: NOW,
    updatedAt: NOW,
    version: 0,
    ...changes,
  };
}

export function exampleApiKey(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: `key_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    memberId: null,
    name: 'Server',
    scopes: ['messages:read'],
    hash: 'ab'.repeat(32),
    prefix: 'trk_abcd',
    createdAt: NOW,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...changes,
  };
}

export function exampleMember(changes: Partial<Member> = {}): Member {
  return {
    id: `mem_${SUFFIX}`,
    workspaceId: WORKSPACE_ID,
    email: 'ada@example.com',
    emailVerified: true,
    administersWebhooks: true,
    createdAt: NOW,
    ...changes,
  };
}

export function exampleWorkspace(changes: Partial<Workspace> = {}): Workspace {
  return {
    id: WORKSPACE_ID,
    name: 'Acme',
    plan: DEFAULT_PLAN,
    trialMessagesUsed: 0,
    retention: null,
    suspendedAt: null,
    createdAt: NOW,
    ...changes,
  };
}
