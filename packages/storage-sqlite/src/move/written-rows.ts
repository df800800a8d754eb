import type { SQLInputValue } from 'node:sqlite';
import { movedTable } from '@trunkline/storage-kit';
import type { MovedRow, MovedTableName } from '@trunkline/storage-kit';
import { fileNoted } from '../messages/chat-filing.ts';
import type { Columns, Database } from '../database/database.ts';
import { idempotencyHash } from '../messages/idempotency-hash.ts';
import { FIRST_DUE_AT } from '../deliveries/lane.ts';
import { insertMessageRow } from '../messages/message-row.ts';
import { text } from '../rows/row.ts';
import { writeMoved } from './moved-values.ts';
import { mainTable } from './stored-tables.ts';

/** Writes moved rows, including their parts in other tables. */
export function writeRows(database: Database, name: MovedTableName, rows: readonly MovedRow[]): void {
  const columns = Object.entries(movedTable(name).columns);
  const write = WRITERS[name] ?? ((into, stored) => void into.insert(mainTable(name), stored));
  for (const row of rows) {
    write(
      database,
      Object.fromEntries(columns.map(([column, kind]) => [column, writeMoved(kind, row[column] ?? null)])),
    );
  }
  if (name === 'messages') fileNoted(database, rows.length);
}

/** Updates values that depend on all rows. Called after the transactions that wrote the rows. */
export function finishMove(database: Database): void {
  // These times ignore the limits on claims. The first claim applies the limits, and recomputes the times.
  database.run(`UPDATE lanes SET wake_at = max(ready_from, ${FIRST_DUE_AT})`);
  // PostgreSQL deletes an event and its log entry in two steps, between which the move may have happened. In SQLite,
  // the second step would never come.
  database.run(
    'DELETE FROM event_log WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.id = event_log.id)',
  );
}

type Writer = (database: Database, stored: Columns) => void;

const WRITERS: Partial<Record<MovedTableName, Writer>> = {
  messages: (database, message) => insertMessageRow(database, message, false),
  idempotency_records(database, record) {
    const position = database.insert('idempotency_log', record);
    const hash = idempotencyHash(text(record, 'workspace_id'), text(record, 'key'));
    database.insert('idempotency_index', { hash, position });
    database.run('UPDATE idempotency_indexed SET up_to = ?', position);
  },
  lanes(database, stored) {
    const { workspace_id: _, ...lane } = stored; // the endpoint has the workspace
    database.insert('lanes', { ...lane, wake_at: null, is_full: 0 });
  },
  events(database, { traceparent = null, ...event }) {
    database.insert('events', event);
    if (traceparent !== null) database.insert('event_traces', { event_id: event['id'] ?? null, traceparent });
  },
  deliveries(database, { due_at = null, lost_claims = 0, ...delivery }) {
    database.insert('deliveries', delivery);
    if (due_at === null) return;
    const one = (column: string): SQLInputValue => delivery[column] ?? null;
    database.insert('due', {
      endpoint_id: one('webhook_id'),
      generation: one('generation'),
      due_at,
      delivery_id: one('id'),
      lost_claims,
    });
  },
};
