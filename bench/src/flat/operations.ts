import type { ClaimedDelivery, Completion, Storage } from '@trunkline/core/spi/storage';
import { acceptOne, at } from './history.ts';
import type { History } from './history.ts';

const PAGE = 25;
const SINCE = 0;
const MINUTE_MS = 60_000;
const CLAIMED_AT_ONCE = 128;
const ACCEPTED_AT_ONCE = 64;

type Operation = (history: History, index: number) => Promise<unknown>;

const messageById: Operation = ({ storage, workspaceId, messageIds }, index) =>
  storage.messages.find(workspaceId, at(messageIds, index));
const idempotencyRecord: Operation = ({ storage, workspaceId, messageIds }, index) =>
  storage.messages.findIdempotencyRecord(workspaceId, at(messageIds, index));
const deliveryWithItsAttempts: Operation = ({ storage, workspaceId, deliveryIds }, index) =>
  storage.deliveries.findDetail(workspaceId, at(deliveryIds, index), SINCE);

const eventsOfMessage: Operation = ({ storage, workspaceId, messageIds }, index) =>
  storage.events.list(workspaceId, { messageId: at(messageIds, index) }, { from: null, limit: PAGE }, SINCE);
const deliveriesOfEvent: Operation = ({ storage, workspaceId, eventIds }, index) =>
  storage.deliveries.listOfEvent(workspaceId, { id: at(eventIds, index) }, SINCE);
/** The same reads as `messages.standing`. */
const standing: Operation = async ({ storage, workspaceId, messageIds }, index) => {
  const message = await storage.messages.find(workspaceId, at(messageIds, index));
  if (!message) throw new Error('A message is missing.');
  await storage.workspaces.find(workspaceId);
  await storage.instances.find(workspaceId, message.instanceId);
};

/**
 * Operations whose time must not grow with the number of stored rows; each counts as one, however many rows it affects.
 * A lookup by id is listed twice: with rows that may have to come from the disk, and with rows in a cache.
 */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'messages, first page': ({ storage, workspaceId }) =>
    storage.messages.list(workspaceId, {}, { from: null, limit: PAGE }),
  'messages, a page in the middle': ({ storage, workspaceId, messageIds }) =>
    storage.messages.list(workspaceId, {}, { from: middleOf(messageIds), limit: PAGE }),
  'messages, the last page': ({ storage, workspaceId, messageIds }) =>
    storage.messages.list(
      workspaceId,
      {},
      { from: { direction: 'older', id: at(messageIds, 1) }, limit: 100 },
    ),
  'messages of an instance in the middle': ({ storage, workspaceId, instances, messageIds }, index) =>
    storage.messages.list(
      workspaceId,
      { instanceId: at(instances, index).id },
      { from: middleOf(messageIds), limit: PAGE },
    ),
  'messages of a status that none has': ({ storage, workspaceId }) =>
    storage.messages.list(workspaceId, { statuses: ['failed'] }, { from: null, limit: PAGE }),
  'message by id': messageById,
  'message by id, again': messageById,
  'idempotency record': idempotencyRecord,
  'idempotency record, again': idempotencyRecord,
  'head of a queue': ({ storage, instances }, index) =>
    storage.messages.queueHeads([at(instances, index).id], Date.now()),
  'deliveries, first page': ({ storage, workspaceId, endpoints }, index) =>
    storage.deliveries.list(workspaceId, at(endpoints, index).id, {}, { from: null, limit: PAGE }, SINCE),
  'deliveries in the middle': ({ storage, workspaceId, endpoints, deliveryIds }, index) =>
    storage.deliveries.list(
      workspaceId,
      at(endpoints, index).id,
      {},
      { from: middleOf(deliveryIds), limit: PAGE },
      SINCE,
    ),
  'deliveries that are exhausted': ({ storage, workspaceId, endpoints }, index) =>
    storage.deliveries.list(
      workspaceId,
      at(endpoints, index).id,
      { status: 'exhausted' },
      { from: null, limit: PAGE },
      SINCE,
    ),
  'delivery with its attempts': deliveryWithItsAttempts,
  'delivery with its attempts, again': deliveryWithItsAttempts,
  'messages with somebody, first page': ({ storage, workspaceId, busyNumber }) =>
    storage.messages.list(
      workspaceId,
      { counterpart: { kind: 'number', digits: busyNumber } },
      { from: null, limit: PAGE },
    ),
  'messages with somebody, in the middle': ({ storage, workspaceId, busyNumber, messageIds }) =>
    storage.messages.list(
      workspaceId,
      { counterpart: { kind: 'number', digits: busyNumber } },
      { from: middleOf(messageIds), limit: PAGE },
    ),
  'search for a word in all messages': search('hello'),
  'search for a word in the oldest message': search('rare'),
  'search for a word in one of 500 messages': search('seldom'),
  'search for two words that never meet': search('even', 'odd'),
  'chats of an instance': ({ storage, workspaceId, instances }, index) =>
    storage.chats.list(workspaceId, at(instances, index).id, { from: null, limit: PAGE }),
  'chats of an instance, in the middle': ({ storage, workspaceId, instances, messageIds }, index) =>
    storage.chats.list(workspaceId, at(instances, index).id, { from: middleOf(messageIds), limit: PAGE }),
  'events of a message': eventsOfMessage,
  'events of a message, again': eventsOfMessage,
  'events of an instance': ({ storage, workspaceId, instances }, index) =>
    storage.events.list(
      workspaceId,
      { instanceId: at(instances, index).id },
      { from: null, limit: PAGE },
      SINCE,
    ),
  'events of an instance of a type that none has': ({ storage, workspaceId, instances }, index) =>
    storage.events.list(
      workspaceId,
      { instanceId: at(instances, index).id, types: ['message.failed'] },
      { from: null, limit: PAGE },
      SINCE,
    ),
  'deliveries of an event': deliveriesOfEvent,
  'deliveries of an event, again': deliveriesOfEvent,
  'history of an instance': ({ storage, workspaceId, instances }, index) =>
    storage.history.list(workspaceId, at(instances, index).id, { from: null, limit: PAGE }, SINCE),
  'standing of a message': standing,
  'standing of a message, again': standing,
  [`acceptance of ${ACCEPTED_AT_ONCE}`]: ({ storage, instances }) =>
    Promise.all(
      Array.from({ length: ACCEPTED_AT_ONCE }, (_, index) => acceptOne(storage, at(instances, index))),
    ),
  [`claim and outcome of ${CLAIMED_AT_ONCE}`]: ({ storage }) => claimAndComplete(storage),
};

function search(...words: readonly string[]): Operation {
  return ({ storage, workspaceId }) =>
    storage.messages.list(workspaceId, { words }, { from: null, limit: PAGE });
}

function middleOf(ids: readonly string[]): { readonly direction: 'older'; readonly id: string } {
  return { direction: 'older', id: at(ids, Math.floor(ids.length / 2)) };
}

/** Completes deliveries as failed and due again immediately, so that their number stays the same. */
async function claimAndComplete(storage: Storage): Promise<void> {
  const now = Date.now();
  const { claimed } = await storage.deliveries.claim({
    now,
    limit: CLAIMED_AT_ONCE,
    leaseMs: MINUTE_MS,
    slots: 2,
    startsPerWindow: 120,
    windowMs: 1,
  });
  if (claimed.length === 0) throw new Error('There was nothing to claim.');
  await storage.deliveries.complete(
    claimed.map((one) => failed(one, now)),
    now,
  );
}

function failed({ delivery, endpoint, token }: ClaimedDelivery, now: number): Completion {
  const outcome = { responseStatus: 500, errorCode: 'HTTP_ERROR' } as const;
  const attempts = delivery.attempts + 1;
  return {
    token,
    delivery: {
      ...delivery,
      ...outcome,
      attempts,
      status: 'retrying',
      lastAttemptAt: now,
      nextRetryAt: now,
    },
    attempt: {
      ...outcome,
      number: attempts,
      manual: false,
      url: endpoint.url,
      responseBody: 'Internal Server Error',
      durationMs: 5,
      at: now,
    },
  };
}
