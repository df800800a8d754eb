import type { DatabaseSync } from 'node:sqlite';
import type { KeptSenders, MessageStore } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import { storeDownload } from './download-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { isHeld } from './lease.ts';
import { takeContent } from './upload-registry.ts';
import { acceptingMessages } from './message-acceptance.ts';
import { changeMessage } from './message-change.ts';
import { listMessages } from './message-list.ts';
import { messageColumns, readMessage } from './message-row.ts';
import { postponeMessage, queueHeads } from './message-queue.ts';

export function messageStore(connected: Connected, senders: KeptSenders): MessageStore<DatabaseSync> {
  return {
    findSender: senders.find,
    accept: async (acceptance, transaction) => {
      const { accept, idempotency, joined, announceAtEnd } = connected();
      if (transaction === undefined) return accept(acceptance);
      const { database, attempt } = joined(transaction);
      const acceptOne = acceptingMessages(database, idempotency.within(database), (signal) =>
        announceAtEnd(transaction, signal),
      );
      return attempt(() => acceptOne(acceptance));
    },
    findIdempotencyRecord: async (workspaceId, key) =>
      connected().idempotency.find(workspaceId, key).stored?.record ?? null,

    find: async (workspaceId, id, transaction) => {
      const { joined, ...own } = connected();
      const database = transaction === undefined ? own.database : joined(transaction).database;
      return database.snapshot(() => {
        const row = database.get('SELECT * FROM messages WHERE id = ? AND workspace_id = ?', id, workspaceId);
        return row ? readMessage(database, row) : null;
      });
    },
    findOutbound: async (instanceId, networkId, ids = []) => {
      const { database } = connected();
      return database.snapshot(() => {
        const rows = ids.flatMap(({ first, last }) =>
          database.all(OUTBOUND_AMONG_IDS, first, last, instanceId, networkId),
        );
        const row = rows[0] ?? database.get(OUTBOUND, instanceId, networkId);
        return row ? readMessage(database, row) : null;
      });
    },
    hasInbound: async (instanceId, networkId, senderId) =>
      connected().database.get(INBOUND, instanceId, networkId, senderId) !== undefined,
    list: async (workspaceId, filter, page) => listMessages(connected().database, workspaceId, filter, page),

    queueHeads: (instanceIds, now) => queueHeads(connected, [...new Set(instanceIds)], now),
    postpone: async (lease, postponement) => {
      const { database, write } = connected();
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        postponeMessage(database, lease.instanceId, postponement);
        return 'postponed';
      });
    },
    change: async (lease, change) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        if (change.message.instanceId !== lease.instanceId) return 'stale';
        return changeMessage({ database, newId, announce }, change) ? 'changed' : 'stale';
      });
    },
    receive: async (lease, { message, senderId, event, download }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        if (database.get(INBOUND, message.instanceId, message.networkId, senderId)) return 'duplicate';
        takeContent(database, message);
        database.insert('messages', messageColumns(message, senderId));
        if (download) storeDownload(database, download);
        storeEvents({ database, newId, announce }, [event]);
        return 'received';
      });
    },
  };
}

/** A message or none: with the plus the planner takes the primary key, and not an index of the instance's messages. */
const OUTBOUND_AMONG_IDS = `
  SELECT * FROM messages
  WHERE id >= ? AND id <= ? AND +instance_id = ? AND network_id = ? AND direction = 'outbound'`;

const OUTBOUND = `
  SELECT messages.* FROM network_ids JOIN messages ON messages.id = message_id
  WHERE network_ids.instance_id = ? AND network_ids.network_id = ? AND network_ids.direction = 'outbound'`;

const INBOUND = `
  SELECT 1 FROM network_ids
  WHERE instance_id = ? AND network_id = ? AND direction = 'inbound' AND sender_id = ?`;
