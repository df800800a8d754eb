import { MOVE_MARK, movedTable } from '@trunkline/storage-kit';
import type { MovedTableName } from '@trunkline/storage-kit';

/** The source of the rows of a moved table. */
export interface StoredTable {
  readonly from: string;
  readonly where?: string;
  /** Columns that together identify a row, in the order of an index. */
  readonly key: readonly string[];
  /** The expressions of columns that are not read by their name from the first table. */
  readonly expressions?: Readonly<Record<string, string>>;
}

/** Moved tables that are not read one-to-one from the table of the same name. */
const STANDS_OTHERWISE: Partial<Record<MovedTableName, StoredTable>> = {
  settings: { from: 'settings', where: `settings.name <> '${MOVE_MARK}'`, key: ['settings.name'] },
  messages: {
    from: 'messages LEFT JOIN message_details ON message_details.message_id = messages.id',
    key: ['messages.id'],
    expressions: { contact_id: 'message_details.contact_id', details: 'message_details.details' },
  },
  queued_messages: { from: 'queue', key: ['queue.instance_id', 'queue.position'] },
  idempotency_records: { from: 'idempotency_log', key: ['idempotency_log.position'] },
  lanes: {
    from: 'lanes',
    // A lane without a workspace belongs to a deleted endpoint that has no deliveries left.
    where: `(${workspaceOf('lanes.endpoint_id')}) IS NOT NULL`,
    key: ['lanes.endpoint_id'],
    expressions: { workspace_id: workspaceOf('lanes.endpoint_id') },
  },
  closings: {
    from: 'closings',
    key: ['closings.endpoint_id', 'closings.generation'],
    expressions: { to_sweep: '1' },
  },
  events: {
    from: 'events LEFT JOIN event_traces ON event_traces.event_id = events.id',
    key: ['events.id'],
    expressions: { traceparent: 'event_traces.traceparent' },
  },
  deliveries: {
    from: `deliveries
      LEFT JOIN due ON due.delivery_id = deliveries.id
      LEFT JOIN claims ON claims.endpoint_id = deliveries.webhook_id AND claims.delivery_id = deliveries.id`,
    key: ['deliveries.id'],
    expressions: {
      due_at: 'coalesce(due.due_at, claims.expires_at)',
      lost_claims: 'coalesce(due.lost_claims, claims.lost_claims + 1, 0)',
    },
  },
  queued_events: {
    from: 'queued_events',
    // Leaves out events of deleted subscriptions, which are about to be swept.
    where: 'EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.id = subscription_id)',
    key: ['queued_events.event_id', 'queued_events.subscription_id'],
  },
};

/** Relies on the primary key of `endpoints` and on deliveries_by_webhook. */
function workspaceOf(endpointId: string): string {
  return `SELECT coalesce(
    (SELECT workspace_id FROM endpoints WHERE endpoints.id = ${endpointId}),
    (SELECT workspace_id FROM deliveries WHERE webhook_id = ${endpointId} LIMIT 1)
  )`;
}

export function storedTable(name: MovedTableName): StoredTable {
  return (
    STANDS_OTHERWISE[name] ?? { from: name, key: movedTable(name).key.map((column) => `${name}.${column}`) }
  );
}

/** The first table of a source, whose columns are read by name. */
export function mainTable(name: MovedTableName): string {
  return storedTable(name).from.split(/\s/)[0] ?? name;
}

/** Tables and columns that are not moved as they are, each with the reason. */
export const NOT_MOVED: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  calls: 'their callers have ended',
  number_lookups: 'remembered for a day only',
  group_changes: 'remembered for a day only',
  chats: 'made again from the messages',
  chat_messages: 'made again from the messages',
  unfiled_messages: 'every message that is moved is filed in the same transaction',
  search_workspaces: 'made again from the messages',
  search_entries: 'made again from the messages',
  search_windows: 'made again from the messages',
  search_tokens: 'made again from the messages',
  search_changes: 'made again from the messages',
  instances: {
    lease_owner: 'a lease of a process that has ended',
    lease_expires_at: 'a lease of a process that has ended',
    lease_reserved_for: 'a lease of a process that has ended',
    lease_process: 'a lease of a process that has ended',
  },
  lease_owners: 'processes of this database',
  processes: 'processes of this database',
  process_reports: 'processes of this database',
  sqlite_sequence: 'kept by SQLite',
  messages: {
    has_readable_network_id: 'says whether network_ids has the message, as it has each that is moved here',
  },
  network_ids: 'written with each message',
  message_details: 'moved with messages',
  idempotency_log: { position: 'the order of the log; the records are moved without it' },
  idempotency_index: 'written with idempotency_log',
  idempotency_indexed: 'written with idempotency_log',
  event_traces: 'moved with events',
  due: 'moved with deliveries',
  claims: 'claims of processes that have ended: moved with deliveries, as due when they would have ended',
  claim_tokens: 'a claim is made again after a move, with a token of the new database',
  lanes: {
    wake_at: 'follows from the deliveries that are due',
    is_full: 'no claim is moved',
  },
  lane_limits: 'the first claim works them out',
  deleted_subscriptions: 'what is queued for them is not moved',
  queued_events: {
    process: 'a claim of a process that has ended: its event is due when the lease would have ended',
  },
};
