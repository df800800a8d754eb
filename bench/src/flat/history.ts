import { randomBytes } from 'node:crypto';
import { DEFAULT_PLAN } from '@trunkline/core/spi/storage';
import type { Delivery, Endpoint, Instance, Message, Storage } from '@trunkline/core/spi/storage';
import { connectedInstance } from '../connected-instance.ts';
import { anEndpoint } from '../endpoint.ts';
import { newId, storageContext } from '../storages.ts';
import type { StorageFactory } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { fileMessages, leaseAll, logEvent, writeHistory } from './record.ts';

const AT_ONCE = 500;
const INSTANCES = 20;
const ENDPOINTS = 100;

/** How many messages each recipient gets, except the busy one, who gets half of all. */
const MESSAGES_EACH = 20;
const BUSY_NUMBER = '447700900123';
const EVENTS_OF_AN_ENTRY = 10;

/** A database with equal numbers of messages, of events about them, and of open deliveries of other events. */
export interface History {
  readonly storage: Storage;
  readonly workspaceId: string;
  readonly instances: readonly Instance[];
  readonly endpoints: readonly Endpoint[];
  /** The ids of one message in a hundred, oldest first. A message's id is also its idempotency key. */
  readonly messageIds: readonly string[];
  readonly deliveryIds: readonly string[];
  readonly eventIds: readonly string[];
  readonly busyNumber: string;
  remove(): Promise<void>;
}

export async function makeHistory(create: StorageFactory, rows: number): Promise<History> {
  const directory = makeDirectory();
  const storage = create(directory);
  await storage.open(storageContext);
  const workspaceId = newId('ten', Date.now());
  const createdAt = Date.now();
  await storage.workspaces.insert({
    id: workspaceId,
    name: 'Bench',
    plan: DEFAULT_PLAN,
    trialMessagesUsed: 0,
    retention: null,
    suspendedAt: null,
    createdAt,
  });
  const instances = Array.from({ length: INSTANCES }, () => connectedInstance(workspaceId));
  const endpoints = Array.from({ length: ENDPOINTS }, () => anEndpoint(workspaceId));
  await Promise.all(instances.map((instance) => storage.instances.insert(instance, null)));
  await Promise.all(endpoints.map((endpoint) => storage.endpoints.insert(endpoint, ENDPOINTS)));
  const messageIds = await fill(rows, (index) =>
    acceptOne(storage, at(instances, index), {
      to: index % 2 === 0 ? BUSY_NUMBER : numberOf(index),
      text: textOf(index),
    }),
  );
  await fileMessages(storage);
  const leases = await leaseAll(storage);
  const leaseOf = ({ id }: Instance) => {
    const lease = leases.get(id);
    if (!lease) throw new Error(`There is no lease of ${id}.`);
    return lease;
  };
  await fill(rows, async (index) => {
    const instance = at(instances, index);
    const messageId = at(messageIds, index);
    await logEvent(storage, leaseOf(instance), { ...instance, messageId });
    return messageId;
  });
  const entries = Math.ceil(rows / EVENTS_OF_AN_ENTRY / INSTANCES);
  await Promise.all(
    instances.map((instance) => writeHistory(storage, leaseOf(instance), { instance, entries })),
  );
  const deliveries = await fill(rows, (index) => enqueueOne(storage, at(endpoints, index)));
  return {
    storage,
    workspaceId,
    instances,
    endpoints,
    messageIds,
    deliveryIds: deliveries.map(({ id }) => id),
    eventIds: deliveries.map(({ eventId }) => eventId),
    busyNumber: BUSY_NUMBER,
    async remove() {
      await storage.close();
      removeDirectory(directory);
    },
  };
}

/** After the last element, the list begins again. */
export function at<Element>(list: readonly Element[], index: number): Element {
  const element = list[index % list.length];
  if (element === undefined) throw new Error('The list is empty.');
  return element;
}

function numberOf(index: number): string {
  return `44${7_701_000_000 + Math.floor(index / 2 / MESSAGES_EACH)}`;
}

export async function acceptOne(
  storage: Storage,
  instance: Instance,
  { to, text }: { readonly to: string; readonly text: string } = { to: BUSY_NUMBER, text: TEXT },
): Promise<string> {
  const message = aMessage(instance, to, text);
  const { id, createdAt } = message;
  const { kind } = await storage.messages.accept({
    message,
    idempotency: { key: id, fingerprint: 'a fingerprint', messageId: id, createdAt },
    backlogLimit: 1_000_000_000,
    trialLimit: null,
    // The same value as for the sandbox and for WhatsApp.
    hasReadableNetworkId: true,
  });
  if (kind !== 'accepted') throw new Error(`A message was not accepted: ${kind}.`);
  return id;
}

async function enqueueOne(storage: Storage, { id, workspaceId }: Endpoint): Promise<Delivery> {
  const now = Date.now();
  const eventId = newId('evt', now);
  const payload = JSON.stringify({ id: eventId, text: 'hello world '.repeat(40) });
  const event = { id: eventId, workspaceId, type: 'message.sent', occurredAt: now * 1000, payload } as const;
  const delivery = await storage.deliveries.enqueue(id, event);
  if (!delivery) throw new Error(`There is no endpoint ${id}.`);
  return delivery;
}

async function fill<Made>(rows: number, make: (index: number) => Promise<Made>): Promise<readonly Made[]> {
  const ids: Made[] = [];
  for (let index = 0; index < rows; index += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, rows - index) }, (_, more) => make(index + more));
    ids.push(...(await Promise.all(batch)).filter((_, more) => more % 100 === 0));
  }
  return ids;
}

const TEXT = 'hello world '.repeat(9);

/**
 * All messages have the same words, but each has one of two, and one word of its own. One in 500 has a word that is
 * seldom, and the oldest a rare one.
 */
function textOf(index: number): string {
  const word = index === 0 ? ' rare' : index % 500 === 250 ? ' seldom' : '';
  return `${TEXT}${index % 2 === 0 ? 'even' : 'odd'} order${index}${word}`;
}

function aMessage({ id: instanceId, workspaceId }: Instance, to: string, text: string): Message {
  const createdAt = Date.now();
  return {
    id: newId('msg', createdAt),
    workspaceId,
    instanceId,
    networkId: `SBX${randomBytes(16).toString('hex')}`,
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to,
    from: '15550100',
    groupId: null,
    contact: null,
    replyTo: null,
    sendAt: null,
    kind: 'text',
    payload: null,
    origin: 'api',
    text,
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
  };
}
