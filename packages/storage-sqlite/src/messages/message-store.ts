import type { DatabaseSync } from 'node:sqlite';
import { networkIdsOf, SAME_NETWORK_ID_MAX } from '@trunkline/core/spi/storage';
import type {
  Acceptance,
  AcceptanceResult,
  Arrival,
  Contact,
  IdRange,
  KeptSenders,
  Message,
  MessageStore,
} from '@trunkline/core/spi/storage';
import { listByCounterpart } from './chat-store.ts';
import type { Connection } from '../database/connection.ts';
import { storeDownload } from './download-store.ts';
import { storeEvents } from '../deliveries/event-fan-out.ts';
import type { IdempotencyLog } from './idempotency-log.ts';
import { isHeld } from '../processes/lease.ts';
import { takeContent } from './upload-registry.ts';
import { acceptingMessages } from './message-acceptance.ts';
import { changeMessage } from './message-change.ts';
import { listMessages } from './message-list.ts';
import { searchMessages } from './message-search.ts';
import { postponeMessage, queueHeads } from './message-queue.ts';
import { insertMessage, readMessage } from './message-row.ts';
import { currentContact } from '../people/contact-store.ts';
import { isPaced, releasePaced } from './held-messages.ts';
import type { Database } from '../database/database.ts';
import { text } from '../rows/row.ts';

/** The other parts that sending uses. */
export interface SendingConnection extends Connection {
  readonly idempotency: IdempotencyLog;
  accept(acceptance: Acceptance): Promise<AcceptanceResult>;
}

export function messageStore(
  connected: () => SendingConnection,
  senders: KeptSenders,
): MessageStore<DatabaseSync> {
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
      return database.snapshot(() => findOutbound(database, { instanceId, networkId, ids }));
    },
    findByNetworkId: async (instanceId, networkId, ids = []) => {
      const { database } = connected();
      return database.snapshot(() => {
        const outbound = findOutbound(database, { instanceId, networkId, ids });
        const inbound = database
          .all(SAME_INBOUND, instanceId, networkId, SAME_NETWORK_ID_MAX)
          .map((row) => readMessage(database, row));
        return [...(outbound ? [outbound] : []), ...inbound].slice(0, SAME_NETWORK_ID_MAX);
      });
    },
    findQuotable: async (instanceId, id) => {
      const { database } = connected();
      return database.snapshot(() => {
        const row = database.get('SELECT * FROM messages WHERE id = ? AND instance_id = ?', id, instanceId);
        if (!row) return null;
        const message = readMessage(database, row);
        const contact = message.contact && currentContact(database, message.contact.id);
        const sender = message.direction === 'outbound' ? null : text(row, 'sender_id');
        return { message, senderId: sender && (contact?.networkId ?? sender) };
      });
    },
    hasInbound: async (instanceId, networkId, senderId, contact) => {
      const { database } = connected();
      const key = { instanceId, networkId, senderId };
      return database.snapshot(() => hasArrived(database, key, currentOf(database, contact)));
    },
    list: async (workspaceId, { counterpart, words, ...filter }, page) => {
      const { database } = connected();
      if (counterpart !== undefined) {
        const wanted = { ...filter, counterpart, ...(words !== undefined && { words }) };
        return listByCounterpart(database, workspaceId, wanted, page);
      }
      return words === undefined
        ? listMessages(database, workspaceId, filter, page)
        : searchMessages(database, workspaceId, { ...filter, words }, page);
    },

    queueHeads: (instanceIds, now, look = { limit: 1, withFiles: true }) =>
      queueHeads(connected, [...new Set(instanceIds)], { ...look, now }),
    postpone: async (lease, postponement) => {
      const { database, write } = connected();
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        postponeMessage(database, lease.instanceId, postponement);
        return 'postponed';
      });
    },
    isPaced: async (instanceId, messageId) => isPaced(connected().database, instanceId, messageId),
    releasePaced: async (instanceId, { people, now }) => {
      const { database, write } = connected();
      await write((announce) => {
        if (releasePaced(database, instanceId, { people, now })) announce({ topic: 'queue', instanceId });
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
    receive: async (lease, { message, senderId, contact, event, download }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        const { instanceId, networkId } = message;
        const current = contact ? currentContact(database, contact.id) : null;
        const known = current ?? contact ?? null;
        if (hasArrived(database, { instanceId, networkId, senderId }, known)) return 'duplicate';
        if (contact && !current) return 'contact_gone';
        takeContent(database, message);
        insertMessage(database, message, { senderId: current?.id ?? senderId });
        if (download) storeDownload(database, download);
        storeEvents({ database, newId, announce }, [event]);
        return 'received';
      });
    },
  };
}

function findOutbound(
  database: Database,
  {
    instanceId,
    networkId,
    ids,
  }: { readonly instanceId: string; readonly networkId: string; readonly ids: readonly IdRange[] },
): Message | null {
  const rows = ids.flatMap(({ first, last }) =>
    database.all(OUTBOUND_AMONG_IDS, first, last, instanceId, networkId),
  );
  const row = rows[0] ?? database.get(OUTBOUND, instanceId, networkId);
  return row ? readMessage(database, row) : null;
}

/** The sender's current contact, into which the given contact may have been merged. */
function currentOf(database: Database, contact: Arrival['contact']): Contact | null {
  return contact ? (currentContact(database, contact.id) ?? contact) : null;
}

interface ArrivalKey {
  readonly instanceId: string;
  readonly networkId: string;
  readonly senderId: string;
}

function hasArrived(
  database: Database,
  { instanceId, networkId, senderId }: ArrivalKey,
  contact: Contact | null,
): boolean {
  const own = contact ? [contact.id, ...contact.formerIds, ...networkIdsOf(contact)] : [];
  return database.get(INBOUND, instanceId, networkId, senderId, JSON.stringify(own)) !== undefined;
}

/**
 * Finds at most one message. The plus makes the planner use the primary key instead of an index of the instance's
 * messages.
 */
const OUTBOUND_AMONG_IDS = `
  SELECT * FROM messages
  WHERE id >= ? AND id <= ? AND +instance_id = ? AND network_id = ? AND direction = 'outbound'`;

const OUTBOUND = `
  SELECT messages.* FROM network_ids JOIN messages ON messages.id = message_id
  WHERE network_ids.instance_id = ? AND network_ids.network_id = ? AND network_ids.direction = 'outbound'`;

const INBOUND = `
  SELECT 1 FROM network_ids
  WHERE instance_id = ? AND network_id = ? AND direction = 'inbound'
    AND (sender_id = ? OR sender_id IN (SELECT value FROM json_each(?)))`;

const SAME_INBOUND = `
  SELECT messages.* FROM network_ids JOIN messages ON messages.id = message_id
  WHERE network_ids.instance_id = ? AND network_ids.network_id = ? AND network_ids.direction = 'inbound'
  LIMIT ?`;
