import { HEALTHY } from '@trunkline/core/spi/storage';
import type {
  ApiKey,
  Attempt,
  ClaimedDelivery,
  Completion,
  DeliveryClaim,
  Event,
  EventSubscription,
  Instance,
  Member,
  Message,
  Notice,
  WebhookEndpoint,
  Workspace,
} from '@trunkline/core/spi/storage';
import { newId } from './storage-context.ts';

export const NOW: number = Date.UTC(2026, 10, 20, 12);

export function aWorkspace(): Workspace {
  return {
    id: newId('ten', NOW),
    name: 'Acme',
    plan: { subscription: 'active', instanceLimit: null, trialMessageLimit: null, webhookLimit: 5 },
    trialMessagesUsed: 0,
    suspendedAt: null,
    createdAt: NOW,
  };
}

export function aMember({ id: workspaceId }: Workspace): Member {
  return {
    id: newId('mem', NOW),
    workspaceId,
    email: 'ada@example.com',
    emailVerified: true,
    administersWebhooks: true,
    createdAt: NOW,
  };
}

export function anApiKey({ id: workspaceId }: Workspace, member: Member | null): ApiKey {
  const id = newId('key', NOW);
  return {
    id,
    workspaceId,
    memberId: member?.id ?? null,
    name: 'ci',
    scopes: ['messages:send'],
    hash: `hash of ${id}`,
    createdAt: NOW,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** Connected, and wanted so. */
export function anInstance({ id: workspaceId }: Workspace): Instance {
  return {
    id: newId('ins', NOW),
    workspaceId,
    name: 'Front desk',
    status: 'connected',
    desired: 'running',
    phoneNumber: '15550100',
    profileName: null,
    profilePictureUrl: null,
    lastError: null,
    droppedAt: null,
    qr: null,
    pairingNumber: null,
    operation: null,
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: NOW,
    connectedAt: NOW,
    disconnectedAt: null,
    lastSeenAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    version: 1,
  };
}

/** Outbound and queued. */
export function aMessage({ workspaceId, id: instanceId }: Instance, changes: Partial<Message> = {}): Message {
  const createdAt = changes.createdAt ?? NOW;
  const id = newId('msg', createdAt);
  return {
    id,
    workspaceId,
    instanceId,
    networkId: `network id of ${id}`,
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to: '15550199',
    from: '15550100',
    groupId: null,
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
    ...changes,
  };
}

export function anEndpoint({ id: workspaceId }: Workspace): WebhookEndpoint {
  return {
    id: newId('wh', NOW),
    workspaceId,
    url: 'https://example.com/hook',
    description: null,
    events: ['message.received', 'message.failed'],
    status: 'enabled',
    sealedSecret: 'sealed',
    secretHint: '…abcd',
    disabledAt: null,
    disabledReason: null,
    health: HEALTHY,
    createdAt: NOW,
    updatedAt: NOW,
    version: 1,
  };
}

export function anEvent({ id: workspaceId }: { readonly id: string }, at: number = NOW): Event {
  const id = newId('evt', at);
  const type = 'message.received';
  const created_at = new Date(at).toISOString();
  return {
    id,
    workspaceId,
    type,
    occurredAt: at * 1000,
    payload: JSON.stringify({ id, type, created_at, workspace_id: workspaceId, data: {} }),
  };
}

export function aSubscription(): EventSubscription {
  return { id: newId('sub', NOW), name: 'orders', eventTypes: ['message.received'], createdAt: NOW };
}

export function aNotice({ id: webhookId, workspaceId, url }: WebhookEndpoint): Notice {
  const kind = 'webhook_failing';
  return { id: newId('ntc', NOW), workspaceId, webhookId, kind, url, failingSince: NOW, createdAt: NOW };
}

export function aClaim(changes: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return {
    now: NOW,
    limit: 100,
    leaseMs: 30_000,
    slots: 2,
    startsPerWindow: 120,
    windowMs: 60_000,
    ...changes,
  };
}

export function succeeded({ delivery, endpoint, token }: ClaimedDelivery, at: number): Completion {
  const attempt: Attempt = {
    number: delivery.attempts + 1,
    manual: delivery.manual,
    url: endpoint.url,
    responseStatus: 204,
    responseBody: '',
    durationMs: 12,
    errorCode: null,
    at,
  };
  const { number: attempts, responseStatus } = attempt;
  const outcome = { attempts, responseStatus, lastAttemptAt: at, manual: false, nextRetryAt: null } as const;
  return { token, delivery: { ...delivery, ...outcome, status: 'success', deliveredAt: at }, attempt };
}

/** Failed for good, or to be tried again at `nextRetryAt`. */
export function failed(claimed: ClaimedDelivery, at: number, nextRetryAt: number | null = null): Completion {
  const { token, delivery, attempt } = succeeded(claimed, at);
  const why = { responseStatus: 500, errorCode: 'HTTP_ERROR' } as const;
  const status = nextRetryAt === null ? 'exhausted' : 'retrying';
  return {
    token,
    delivery: { ...delivery, ...why, status, deliveredAt: null, nextRetryAt },
    attempt: { ...attempt, ...why },
  };
}
