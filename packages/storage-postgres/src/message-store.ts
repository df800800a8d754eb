import type {
  Acceptance,
  AcceptanceResult,
  KeptSenders,
  Message,
  MessageStore,
} from '@trunkline/core/spi/storage';
import { acceptanceBatcher } from './acceptance-batch.ts';
import type { Connected, Transaction } from './database.ts';
import { storeDownload } from './download-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { postponeMessage } from './held-messages.ts';
import { findIdempotencyRecord } from './idempotency-record.ts';
import { isHeld } from './lease.ts';
import { takeContent } from './upload-registry.ts';
import { acceptMessages } from './message-acceptance.ts';
import { changeBatcher } from './message-change.ts';
import { listMessages } from './message-list.ts';
import { MESSAGE_COLUMNS, messageColumns, readMessage } from './message-row.ts';
import { findingQueueHeads } from './queue-heads.ts';
import type { Queryable } from './queryable.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function messageStore(connected: Connected, senders: KeptSenders): MessageStore<Queryable> {
  const acceptances = acceptanceBatcher(connected);
  const changes = changeBatcher(connected);
  return {
    findSender: senders.find,
    accept: async (acceptance, transaction) => {
      const database = connected();
      if (transaction !== undefined) return database.join(transaction, (own) => acceptAlone(own, acceptance));
      const result = await database.track(acceptances.run(acceptance));
      if (result.kind === 'accepted') {
        database.publish([{ topic: 'queue', instanceId: acceptance.message.instanceId }]);
      }
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
    hasInbound: async (instanceId, networkId, senderId) => {
      const [instance, network, sender] = [
        uuidToFind('ins', instanceId),
        encodeText(networkId),
        encodeText(senderId),
      ];
      return (await connected().get(FIND_INBOUND, instance, network, sender)) !== undefined;
    },
    list: async (workspaceId, filter, page) => listMessages(connected(), workspaceId, filter, page),

    queueHeads: findingQueueHeads(connected),
    postpone: async (lease, postponement) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        await postponeMessage(transaction, uuidOf('ins', lease.instanceId), postponement);
        return 'postponed';
      }),
    change: async (lease, change) => connected().track(changes.run({ lease, change })),
    receive: async (lease, { message, senderId, event, download }) =>
      connected().transaction(async (transaction) => {
        if (!(await isHeld(transaction, lease))) return 'fenced';
        const columns = messageColumns(message, senderId);
        const places = Object.keys(columns).map((_, index) => `$${index + 1}`);
        const stored = await transaction.run(
          `INSERT INTO trunkline.messages (${Object.keys(columns).join(', ')}) VALUES (${places.join(', ')})
           ON CONFLICT (instance_id, network_id, direction, sender_id) DO NOTHING`,
          ...Object.values(columns),
        );
        if (stored === 0) return 'duplicate';
        await takeContent(transaction, message);
        if (download) await storeDownload(transaction, download);
        await storeEvents(transaction, [event]);
        return 'received';
      }),
  };
}

/** In a transaction of the caller's: others hear of it when that commits. */
async function acceptAlone(transaction: Transaction, acceptance: Acceptance): Promise<AcceptanceResult> {
  const [result] = await acceptMessages(transaction, [acceptance]);
  if (!result)
    throw new Error(
      'There is no decision about a message that was to be accepted. This is a defect: please report it.',
    );
  if (result.kind === 'accepted') {
    transaction.announce({ topic: 'queue', instanceId: acceptance.message.instanceId });
  }
  return result;
}

const FIND = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item WHERE item.id = $1 AND item.workspace_id = $2`;

// Relies on messages_by_network_id.
const FIND_OUTBOUND = `
  SELECT ${MESSAGE_COLUMNS} FROM trunkline.messages AS item
  WHERE item.instance_id = $1 AND item.network_id = $2 AND item.direction = 'outbound'
  LIMIT 1`;

// Relies on messages_by_network_id.
const FIND_INBOUND = `
  SELECT 1 FROM trunkline.messages
  WHERE instance_id = $1 AND network_id = $2 AND direction = 'inbound' AND sender_id = $3`;
