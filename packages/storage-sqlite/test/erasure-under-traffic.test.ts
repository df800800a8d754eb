import { join } from 'node:path';
import { describeErasureUnderTraffic } from '@trunkline/storage-contract/erasure-under-traffic';
import { sqliteStorage } from '../src/index.ts';
import { connectTo } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** References between tables: a table and its column, and the table and column that it refers to. */
const REFERENCES = [
  ['queue', 'message_id', 'messages', 'id'],
  ['held_messages', 'message_id', 'messages', 'id'],
  ['scheduled_messages', 'message_id', 'messages', 'id'],
  ['message_details', 'message_id', 'messages', 'id'],
  ['network_ids', 'message_id', 'messages', 'id'],
  ['idempotency_log', 'message_id', 'messages', 'id'],
  ['chat_messages', 'id', 'messages', 'id'],
  ['chats', 'last_message_id', 'messages', 'id'],
  ['unfiled_messages', 'message_id', 'messages', 'id'],
  ['event_log', 'message_id', 'messages', 'id'],
  ['event_log', 'id', 'events', 'id'],
  ['deliveries', 'event_id', 'events', 'id'],
  ['attempts', 'delivery_id', 'deliveries', 'id'],
  ['due', 'delivery_id', 'deliveries', 'id'],
  ['claims', 'delivery_id', 'deliveries', 'id'],
  ['contact_network_ids', 'contact_id', 'contacts', 'id'],
  ['contact_numbers', 'contact_id', 'contacts', 'id'],
  ['message_details', 'contact_id', 'contacts', 'id'],
] as const;

describeErasureUnderTraffic('SQLite', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  return {
    storage: sqliteStorage({ path }),
    tablesWithOrphans: async () => {
      const connection = connectTo(path);
      return REFERENCES.flatMap(([table, column, other, key]) => {
        const orphan = connection
          .prepare(
            `SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT ${key} FROM ${other}) LIMIT 1`,
          )
          .get();
        return orphan ? [`${table}.${column}`] : [];
      });
    },
  };
});
