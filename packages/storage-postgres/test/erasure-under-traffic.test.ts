import { describeErasureUnderTraffic } from '@trunkline/storage-contract/erasure-under-traffic';
import { postgresStorage } from '../src/index.ts';
import { temporarySchema } from './support/open-storage.ts';

/** References between tables: a table, a column in it, and the tables with the ids that the column may hold. */
const REFERENCES = [
  ['queued_messages', 'message_id', ['messages']],
  ['held_messages', 'message_id', ['messages']],
  ['scheduled_messages', 'message_id', ['messages']],
  ['idempotency_records', 'message_id', ['messages']],
  ['chat_messages', 'id', ['messages']],
  ['chats', 'last_message_id', ['messages']],
  ['unfiled_messages', 'message_id', ['messages']],
  ['event_log', 'message_id', ['messages']],
  ['event_log', 'id', ['events']],
  ['deliveries', 'event_id', ['events']],
  ['open_deliveries', 'event_id', ['events']],
  ['attempts', 'delivery_id', ['deliveries', 'open_deliveries']],
  ['contact_network_ids', 'contact_id', ['contacts']],
  ['contact_numbers', 'contact_id', ['contacts']],
  ['messages', 'contact_id', ['contacts']],
] as const;

describeErasureUnderTraffic('PostgreSQL', async () => {
  const { url, name, pool } = await temporarySchema();
  return {
    storage: postgresStorage({ connectionString: url, schema: name, maxConnections: 4 }),
    tablesWithOrphans: async () => {
      const orphans: string[] = [];
      for (const [table, column, others] of REFERENCES) {
        const among = others.map((other) => `SELECT id FROM "${name}".${other}`).join(' UNION ALL ');
        const { rows } = await pool.query(
          `SELECT 1 FROM "${name}".${table} WHERE ${column} NOT IN (${among}) LIMIT 1`,
        );
        if (rows.length > 0) orphans.push(`${table}.${column}`);
      }
      return orphans;
    },
  };
});
