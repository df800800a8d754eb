import { expect } from 'vitest';
import type {
  ActionAcceptance,
  ClaimedDelivery,
  Completion,
  ClaimedEvent,
  Delivery,
  DeliveryClaim,
  EditInPlace,
  Event,
  EventClaim,
  EventCompletion,
  EventRecord,
  EventSubscription,
  Instance,
  InstanceWrite,
  Lease,
  Message,
  MessageChange,
  QueueFailure,
  Storage,
  Endpoint,
  Workspace,
} from '@trunkline/core/spi/storage';
import { must, only } from '@trunkline/test-support';
import {
  aMessage,
  anAction,
  anEndpoint,
  anEvent,
  anInboundMessage,
  anInstance,
  aSubscription,
  aWorkspace,
  claimAt,
  NOW,
} from './examples.ts';

export { claimAt, exhausted, failed, succeeded } from './examples.ts';

export async function storeWorkspace(storage: Storage, changes: Partial<Workspace> = {}): Promise<Workspace> {
  const workspace = aWorkspace(changes);
  await storage.workspaces.insert(workspace);
  return workspace;
}

export async function storeInstance(
  storage: Storage,
  workspace: Workspace,
  changes: Partial<Instance> = {},
): Promise<Instance> {
  const instance = anInstance(workspace, changes);
  expect(await storage.instances.insert(instance, null)).toBe('inserted');
  return instance;
}

export async function takeLease(
  storage: Storage,
  instance: Instance,
  claim: { readonly owner?: string; readonly now?: number } = {},
): Promise<Lease> {
  const { owner = 'process-1', now = NOW } = claim;
  const taken = await storage.leases.claim({ owner, now, networks: ['sandbox'], ttlMs: 30_000, limit: 1000 });
  return must(taken.find(({ lease }) => lease.instanceId === instance.id)).lease;
}

export async function storeLeasedInstance(
  storage: Storage,
): Promise<{ readonly workspace: Workspace; readonly instance: Instance; readonly lease: Lease }> {
  const workspace = await storeWorkspace(storage);
  const instance = await storeInstance(storage, workspace);
  return { workspace, instance, lease: await takeLease(storage, instance) };
}

/** Lets another process take the lease, and returns the lost lease. */
export async function loseLease(storage: Storage, lease: Lease): Promise<Lease> {
  const taken = await storage.leases.claim({
    owner: 'usurper',
    now: NOW * 2,
    networks: ['sandbox'],
    ttlMs: 1,
    limit: 1000,
  });
  expect(taken.map((one) => one.lease.instanceId)).toContain(lease.instanceId);
  return lease;
}

/** A write that changes only the name, as the API writes it. */
export function renaming(instance: Instance, name: string): InstanceWrite {
  return { instance: { ...instance, name }, event: null, lease: null };
}

export async function accept(storage: Storage, message: Message): Promise<void> {
  const acceptance = { message, idempotency: null, backlogLimit: 1000, trialLimit: null };
  expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
}

export async function storeQueuedMessages(
  storage: Storage,
  instance: Instance,
  count: number,
): Promise<readonly [Message, ...Message[]]> {
  const messages: Message[] = [];
  for (let index = 0; index < count; index += 1) {
    const message = aMessage(instance, { createdAt: NOW + index });
    await accept(storage, message);
    messages.push(message);
  }
  const [first, ...rest] = messages;
  return [must(first), ...rest];
}

/** The failure of queued messages when their instance is deleted. */
export const QUEUE_FAILURE: QueueFailure = {
  error: { code: 'instance_gone', message: 'The instance is gone.' },
  now: NOW + 1000,
  eventsFrom: NOW * 1000 + 500,
};

/** A queued message after `QUEUE_FAILURE`. */
export function failedWithQueue(message: Message): Message {
  const { error, now } = QUEUE_FAILURE;
  return { ...message, status: 'failed', error, failedAt: now };
}

export function failing(message: Message): MessageChange {
  return {
    message: failedWithQueue(message),
    expectedStatus: 'queued',
    events: [anEvent({ id: message.workspaceId }, NOW, { type: 'message.failed' })],
  };
}

export function sending(message: Message): MessageChange {
  return { message: { ...message, status: 'sent', sentAt: NOW }, expectedStatus: 'queued', events: [] };
}

/** An edit of a message, which changes the message itself if that is certainly not on its way yet. */
export function editingInPlace(
  message: Message,
  text = 'better',
): ActionAcceptance & { readonly inPlace: EditInPlace } {
  const action = anAction(message, { kind: 'edit', emoji: null, text });
  const change = { message: { ...message, text }, expected: message };
  const inPlace = { change, action: { ...action, status: 'sent', sentAt: NOW } as const };
  return { action, idempotency: null, backlogLimit: 1000, inPlace };
}

export async function storeEndpoint(
  storage: Storage,
  workspace: Workspace,
  changes: Partial<Endpoint> = {},
): Promise<Endpoint> {
  const endpoint = anEndpoint(workspace, changes);
  expect(await storage.endpoints.insert(endpoint, 1000)).toBe('inserted');
  return endpoint;
}

export async function readEndpoint(storage: Storage, { workspaceId, id }: Endpoint): Promise<Endpoint> {
  return must(await storage.endpoints.find(workspaceId, id));
}

export async function disable(storage: Storage, endpoint: Endpoint): Promise<void> {
  const stored = await readEndpoint(storage, endpoint);
  const disabled = { ...stored, status: 'disabled', disabledAt: NOW, disabledReason: 'manual' } as const;
  expect(await storage.endpoints.write({ endpoint: disabled, close: 'ENDPOINT_DISABLED' })).toBe('written');
}

export async function enable(storage: Storage, endpoint: Endpoint): Promise<void> {
  const stored = await readEndpoint(storage, endpoint);
  const enabled = { ...stored, status: 'enabled', disabledAt: null, disabledReason: null } as const;
  expect(await storage.endpoints.write({ endpoint: enabled })).toBe('written');
}

/** Queues a delivery to this endpoint for each of these times, in this order. */
export async function enqueueAt(
  storage: Storage,
  endpoint: Endpoint,
  ...times: readonly number[]
): Promise<readonly Delivery[]> {
  const events = times.map((at) => anEvent({ id: endpoint.workspaceId }, at));
  return Promise.all(events.map(async (event) => must(await storage.deliveries.enqueue(endpoint.id, event))));
}

export async function enqueueOne(storage: Storage, endpoint: Endpoint, at: number = NOW): Promise<Delivery> {
  return must((await enqueueAt(storage, endpoint, at))[0]);
}

export async function storeLane(
  storage: Storage,
): Promise<{ readonly workspace: Workspace; readonly endpoint: Endpoint }> {
  const workspace = await storeWorkspace(storage);
  return { workspace, endpoint: await storeEndpoint(storage, workspace) };
}

export function storedEvent({ id, workspaceId, type, occurredAt, payload }: EventRecord): Event {
  return { id, workspaceId, type, occurredAt, payload };
}

/** Stores an event by receiving a message with it. */
export async function happen(storage: Storage, workspace: Workspace, event: EventRecord): Promise<void> {
  const instance = await storeInstance(storage, workspace);
  const lease = await takeLease(storage, instance);
  const arrival = { message: anInboundMessage(instance), senderId: 's1', event };
  expect(await storage.messages.receive(lease, arrival)).toBe('received');
}

export async function storeSubscription(
  storage: Storage,
  changes: Partial<EventSubscription> = {},
): Promise<EventSubscription> {
  return storage.subscriptions.register(aSubscription(changes));
}

/** Stores a subscription, and a workspace in which events of these times are queued for the subscription. */
export async function storeQueuedEvents(
  storage: Storage,
  ...times: readonly number[]
): Promise<{
  readonly workspace: Workspace;
  readonly subscription: EventSubscription;
  readonly events: readonly Event[];
}> {
  const workspace = await storeWorkspace(storage);
  const subscription = await storeSubscription(storage);
  const records = times.map((at) => anEvent(workspace, at));
  for (const record of records) await happen(storage, workspace, record);
  return { workspace, subscription, events: records.map(storedEvent) };
}

export function eventClaimAt(
  { id: subscriptionId, eventTypes }: EventSubscription,
  now: number,
  changes: Partial<EventClaim> = {},
): EventClaim {
  return { subscriptionId, eventTypes, now, limit: 100, leaseMs: 30_000, ...changes };
}

export async function claimEvents(
  storage: Storage,
  subscription: EventSubscription,
  now: number,
  changes: Partial<EventClaim> = {},
): Promise<readonly ClaimedEvent[]> {
  return must(await storage.subscriptions.claim(eventClaimAt(subscription, now, changes))).claimed;
}

export function eventIdsOf(claimed: readonly ClaimedEvent[]): readonly string[] {
  return claimed.map(({ event }) => event.id);
}

export function completed(
  { subscriptionId, event, token }: ClaimedEvent,
  outcome: EventCompletion['outcome'] = { kind: 'handled' },
): EventCompletion {
  return { subscriptionId, eventId: event.id, token, outcome };
}

/** Many slots, and a lease that outlives the window, so that only the throttle limits claims. */
export const THROTTLED = { slots: 1000, limit: 1000, leaseMs: 600_000 } as const;

export async function claim(
  storage: Storage,
  now: number,
  changes: Partial<DeliveryClaim> = {},
): Promise<readonly ClaimedDelivery[]> {
  return (await storage.deliveries.claim(claimAt(now, changes))).claimed;
}

export function idsOf(claimed: readonly ClaimedDelivery[]): readonly string[] {
  return claimed.map(({ delivery }) => delivery.id);
}

/** Claims one delivery, which must be the given one, and completes it. */
export async function finish(
  storage: Storage,
  delivery: Delivery,
  outcome: (claimed: ClaimedDelivery, at: number) => Completion,
  at: number = NOW,
): Promise<Delivery> {
  const claimed = only(await claim(storage, at, { limit: 1 }));
  expect(claimed.delivery.id).toBe(delivery.id);
  expect(await storage.deliveries.complete([outcome(claimed, at)], at)).toBe(1);
  return readDelivery(storage, delivery);
}

export async function readDelivery(storage: Storage, { workspaceId, id }: Delivery): Promise<Delivery> {
  return must(await storage.deliveries.findDetail(workspaceId, id, 0)).delivery;
}

export async function deleteHistory({ retention }: Storage, before: number): Promise<void> {
  const limit = 2;
  while ((await retention.deleteHistory(before, limit)) >= limit);
}

/** Shortens all waits, in steps of `limit`. */
export async function shortenWaits(storage: Storage, now: number, limit = 2): Promise<void> {
  let after: string | null = null;
  do after = await storage.shortenWaits({ now, after, limit, leaseMs: 30_000 });
  while (after !== null);
}
