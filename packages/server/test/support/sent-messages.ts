import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createNewId } from '@trunkline/core/spi/storage';
import type { EventRecord, Lease, Message, Storage } from '@trunkline/core/spi/storage';
import { silentLogger } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { sqliteStorage } from '@trunkline/storage-sqlite';

const AT_ONCE = 500;
const FILE_EVERY = 10;
const newId = createNewId((length) => randomBytes(length));

/**
 * Adds sent messages to the database in a directory that no server uses, each with an idempotency key and an event, and
 * every tenth with a file. Uses the storage, because a server accepts at most 1,000 waiting messages. The added
 * messages resemble the last message of the same type from the database's only instance.
 */
export async function addSentMessages(directory: string, count: number): Promise<void> {
  const storage = sqliteStorage({ path: join(directory, 'trunkline.db') });
  await storage.open({ newId, logger: silentLogger });
  const [claimed] = await storage.leases.claim({
    owner: 'the test',
    now: Date.now(),
    networks: ['sandbox'],
    ttlMs: 3_600_000,
    limit: 1,
  });
  if (!claimed) throw new Error('There is no instance that a gateway could have.');
  const { lease, instance } = claimed;
  const lastOf = async (type: 'text' | 'document'): Promise<Message> => {
    const filter = { instanceId: instance.id, direction: 'outbound', type, statuses: ['read'] } as const;
    const { rows } = await storage.messages.list(instance.workspaceId, filter, { from: null, limit: 1 });
    if (!rows[0]) throw new Error(`No ${type} was read.`);
    return rows[0];
  };
  const [text, document] = [await lastOf('text'), await lastOf('document')];
  const { rows: events } = await storage.events.list(
    instance.workspaceId,
    { messageId: text.id },
    { from: null, limit: AT_ONCE },
    0,
  );
  const sent = events.find(({ type }) => type === 'message.sent');
  if (!sent) throw new Error('There is no event of what was sent.');
  const eventOf = ({ id: messageId, createdAt }: Message): EventRecord => {
    const id = newId('evt', createdAt);
    return {
      ...sent,
      id,
      occurredAt: createdAt * 1000,
      payload: sent.payload.replaceAll(sent.id, id).replaceAll(text.id, messageId),
      subject: { instanceId: instance.id, messageId },
    };
  };
  const { media: files } = nodeRuntime({ mediaDirectory: join(directory, 'media') });
  if (!files) throw new Error('There is no place for files.');
  const addOne = async (number: number): Promise<void> => {
    const message = likeIt(number % FILE_EVERY === 0 ? document : text, number);
    if (message.media?.uploadId === undefined) return addSent(storage, lease, message, eventOf(message));
    const content = Buffer.from(`added file ${number}`);
    await storage.uploads.reserve(message.media.uploadId, message.createdAt);
    await files.put(message.media.uploadId, new Blob([content]).stream());
    const sha256 = createHash('sha256').update(content).digest('hex');
    const media = { ...message.media, size: content.length, sha256 };
    return addSent(storage, lease, { ...message, media }, eventOf(message));
  };
  for (let first = 0; first < count; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, more) => addOne(first + more)),
    );
  await storage.leases.release(lease);
  await storage.close();
}

function likeIt(example: Message, number: number): Message {
  const now = Date.now();
  return {
    ...example,
    id: newId('msg', now),
    networkId: `ADDED${randomBytes(16).toString('hex')}`,
    to: String(447_700_900_000 + (number % 1000)),
    ...(example.type === 'text' ? { text: `added ${number} ${'Grüße '.repeat(number % 20)}` } : {}),
    ...(example.media && { media: { ...example.media, uploadId: newId('upl', now) } }),
    createdAt: now,
    queuedAt: now,
    sentAt: now,
    deliveredAt: now + 1,
    readAt: now + 2,
  };
}

async function addSent(
  storage: Pick<Storage, 'messages'>,
  lease: Lease,
  { sentAt, deliveredAt, readAt, ...message }: Message,
  event: EventRecord,
): Promise<void> {
  const { id: messageId, createdAt } = message;
  const queued = { sentAt: null, deliveredAt: null, readAt: null, status: 'queued' } as const;
  const { kind } = await storage.messages.accept({
    message: { ...message, ...queued },
    idempotency: { key: messageId, fingerprint: messageId, messageId, createdAt },
    backlogLimit: Number.MAX_SAFE_INTEGER,
    trialLimit: null,
  });
  if (kind !== 'accepted') throw new Error(`A message was not accepted: ${kind}.`);
  const outcome = await storage.messages.change(lease, {
    message: { ...message, sentAt, deliveredAt, readAt },
    expectedStatus: 'queued',
    events: [event],
  });
  if (outcome !== 'changed') throw new Error(`The message ${messageId} was not changed: ${outcome}.`);
}
