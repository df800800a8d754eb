import { isDueSoon, SAME_NETWORK_ID_MAX } from '@trunkline/core/spi/storage';
import type {
  Acceptance,
  AcceptanceResult,
  KeptSenders,
  Message,
  MessageStore,
  Signal,
} from '@trunkline/core/spi/storage';
import { acceptanceBatcher } from './acceptance-batch.ts';
import { hasArrived, insertArrival } from './arrivals.ts';
import { listByCounterpart } from './chat-store.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { storeDownload } from './download-store.ts';
import { findWanting, storeLastEvents } from '../deliveries/event-fan-out.ts';
import { isPaced, postponeMessage, releasePaced } from './held-messages.ts';
import { findIdempotencyRecord } from './idempotency-record.ts';
import { isHeld } from '../processes/lease.ts';
import { takeContent } from './upload-registry.ts';
import { acceptMessages } from './message-acceptance.ts';
import { changeBatcher } from './message-change.ts';
import { listMessages } from './message-list.ts';
import { MESSAGE_COLUMNS, readMessage } from './message-row.ts';
import { searchMessages } from './message-search.ts';
import { findingQueueHeads } from './queue-heads.ts';
import { textOrNull } from '../rows/row.ts';
import type { Queryable } from '../database/queryable.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function messageStore(connected: Connected, senders: KeptSenders): MessageStore<Queryable> {
  const acceptances = acceptanceBatcher(connected);
  const changes = changeBatcher(connected);
  return {
    findSender: senders.find,
    accept: async (acceptance, transaction) => {
      const database = connected();
      if (transaction !== undefined) return database.join(transaction, (own) => acceptAlone(own, acceptance));
      const result = await database.track(acceptances.run(acceptance));
      if (result.kind === 'accepted') database.publish(signalsOf(acceptance));
      return result;
    },
    findIdempotencyRecord: async (workspaceId, key) =>
      findIdempotencyRecord(connected(), { workspaceId, key }),

    find: async (workspaceId, id, transaction) => {
      const database = connected();
      const find = async (statements: Statements): Promise<Message | null> => {
        const row = await statements.get(FIND, uuidToFind('msg', id), uuidToFind('ten', workspaceId));
        return row ? readMessage(row) : null;
      };
      return transaction === undefined ? find(database) : database.join(transaction, find);
    },
    findOutbound: async (instanceId, networkId) => {
      const row = await connected().get(FIND_OUTBOUND, uuidToFind('ins', instanceId), encodeText(networkId));
      return row ? readMessage(row) : null;
    },
    findByNetworkId: async (instanceId, networkId) => {
      const [instance, network] = [uuidToFind('ins', instanceId), encodeText(networkId)];
      return (await connected().all(FIND_BY_NETWORK_ID, instance, network, SAME_NETWORK_ID_MAX)).map(
        readMessage,
      );
    },
    findQuotable: async (instanceId, messageId) => {
      const row = await connected().get(
        FIND_QUOTABLE,
        uuidToFind('msg', messageId),
        uuidToFind('ins', instanceId),
      );
      if (!row) return null;
      return { message: readMessage(row), senderId: textOrNull(row, 'quoted_sender') };
    },
    hasInbound: async (instanceId, networkId, senderId, contact) =>
      hasArrived(connected(), { instanceId, networkId, senderId, contact }),
    list: async (workspaceId, { counterpart, words, ...filter }, page) => {
      if (counterpart !== undefined) {
        const wanted = { ...filter, counterpart, ...(words !== undefined && { words }) };
        return listByCounterpart(connected(), workspaceId, wanted, page);
      }
      return words === undefined
        ? listMessages(connected(), workspaceId, filter, page)
        : searchMessages(connected(), workspaceId, { ...filter, words }, page);
    },

    queueHeads: findingQueueHeads(connected),
    postpone: async (lease, postponement) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        await postponeMessage(transaction, uuidOf('ins', lease.instanceId), postponement);
        return 'postponed';
      }),
    isPaced: async (instanceId, messageId) => isPaced(connected(), instanceId, messageId),
    releasePaced: async (instanceId, release) =>
      connected().transaction(async (transaction) => {
        if (await releasePaced(transaction, instanceId, release))
          transaction.announce({ topic: 'queue', instanceId });
      }),
    change: async (lease, change) => connected().track(changes.run({ lease, change })),
    receive: async (lease, arrival) =>
      connected().transactionAtOnce(async (transaction) => {
        const events = [arrival.event];
        const [isLeased, outcome, wanting] = await transaction.together(
          () => isHeld(transaction, lease),
          () => insertArrival(transaction, lease, arrival),
          () => findWanting(transaction, events),
        );
        await transaction.begun();
        if (!isLeased) return 'fenced';
        if (outcome !== 'inserted') return outcome;
        await takeContent(transaction, arrival.message);
        const { download } = arrival;
        const followedBy = download ? () => storeDownload(transaction, download) : null;
        await storeLastEvents(transaction, { events, wanting, followedBy });
        return 'received';
      }),
  };
}

function signalsOf({ message, isScheduled = false }: Acceptance): readonly Signal[] {
  if (!isScheduled) return [{ topic: 'queue', instanceId: message.instanceId }];
  return isDueSoon(message) ? [{ topic: 'schedule' }] : [];
}

/** Accepts a message in a transaction of the caller. Processes are notified when the transaction commits. */
async function acceptAlone(transaction: Transaction, acceptance: Acceptance): Promise<AcceptanceResult> {
  const [result] = await acceptMessages(transaction, [acceptance]);
  if (!result)
    throw new Error(
      'There is no decision about a message that was to be accepted. This is a defect: please report it.',
    );
  if (result.kind === 'accepted') for (const signal of signalsOf(acceptance)) transaction.announce(signal);
  return result;
}

const FIND = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item WHERE item.id = $1 AND item.workspace_id = $2`;

// Relies on messages_by_network_id.
const FIND_OUTBOUND = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.instance_id = $1 AND item.network_id = $2 AND item.direction = 'outbound'
  LIMIT 1`;

// Relies on messages_by_network_id, read backwards so that an outbound message comes first.
const FIND_BY_NETWORK_ID = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.instance_id = $1 AND item.network_id = $2
  ORDER BY item.direction DESC
  LIMIT $3`;

const FIND_QUOTABLE = `
  SELECT ${MESSAGE_COLUMNS}, CASE WHEN item.direction = 'inbound' THEN coalesce((
    SELECT contact.network_id
    FROM trunkline.contacts AS given
    JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
    WHERE given.id = item.contact_id
  ), item.sender_id) END AS quoted_sender
  FROM trunkline.messages AS item WHERE item.id = $1 AND item.instance_id = $2`;
