import { randomBytes } from 'node:crypto';
import { DEFAULT_PLAN } from '@trunkline/core/spi/storage';
import type { Endpoint, Instance, Message, Storage } from '@trunkline/core/spi/storage';
import { connectedInstance } from '../connected-instance.ts';
import { anEndpoint } from '../endpoint.ts';
import { newId, storageContext } from '../storages.ts';
import type { StorageFactory } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';

const AT_ONCE = 500;
const INSTANCES = 20;
const ENDPOINTS = 100;

/** A database in which as many messages and as many open deliveries are stored. */
export interface History {
  readonly storage: Storage;
  readonly workspaceId: string;
  readonly instances: readonly Instance[];
  readonly endpoints: readonly Endpoint[];
  /** Of one message in a hundred, oldest first; its idempotency key is its id. */
  readonly messageIds: readonly string[];
  /** Of one delivery in a hundred, likewise. */
  readonly deliveryIds: readonly string[];
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
  const messageIds = await fill(rows, (index) => acceptOne(storage, at(instances, index)));
  const deliveryIds = await fill(rows, (index) => enqueueOne(storage, at(endpoints, index)));
  return {
    storage,
    workspaceId,
    instances,
    endpoints,
    messageIds,
    deliveryIds,
    async remove() {
      await storage.close();
      removeDirectory(directory);
    },
  };
}

/** The element at an index, beginning again after the last. */
export function at<Element>(list: readonly Element[], index: number): Element {
  const element = list[index % list.length];
  if (element === undefined) throw new Error('The list is empty.');
  return element;
}

export async function acceptOne(storage: Storage, instance: Instance): Promise<string> {
  const message = aMessage(instance);
  const { id, createdAt } = message;
  const { kind } = await storage.messages.accept({
    message,
    idempotency: { key: id, fingerprint: 'a fingerprint', messageId: id, createdAt },
    backlogLimit: 1_000_000_000,
    trialLimit: null,
    // As for the sandbox and for WhatsApp.
    hasReadableNetworkId: true,
  });
  if (kind !== 'accepted') throw new Error(`A message was not accepted: ${kind}.`);
  return id;
}

async function enqueueOne(storage: Storage, { id, workspaceId }: Endpoint): Promise<string> {
  const now = Date.now();
  const eventId = newId('evt', now);
  const payload = JSON.stringify({ id: eventId, text: 'hello world '.repeat(40) });
  const event = { id: eventId, workspaceId, type: 'message.sent', occurredAt: now * 1000, payload } as const;
  const delivery = await storage.deliveries.enqueue(id, event);
  if (!delivery) throw new Error(`There is no endpoint ${id}.`);
  return delivery.id;
}

/** Returns the id of one in a hundred. */
async function fill(rows: number, make: (index: number) => Promise<string>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < rows; index += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, rows - index) }, (_, more) => make(index + more));
    ids.push(...(await Promise.all(batch)).filter((_, more) => more % 100 === 0));
  }
  return ids;
}

function aMessage({ id: instanceId, workspaceId }: Instance): Message {
  const createdAt = Date.now();
  return {
    id: newId('msg', createdAt),
    workspaceId,
    instanceId,
    networkId: `SBX${randomBytes(16).toString('hex')}`,
    direction: 'outbound',
    type: 'text',
    status: 'queued',
    to: '447700900123',
    from: '15550100',
    groupId: null,
    contact: null,
    replyTo: null,
    kind: 'text',
    payload: null,
    origin: 'api',
    text: 'hello world '.repeat(10),
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
