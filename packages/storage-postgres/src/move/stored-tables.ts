import { MOVE_MARK, movedTable } from '@trunkline/storage-kit';
import type { MovedTableName } from '@trunkline/storage-kit';

/** A source of rows of a moved table. */
export interface StoredPart {
  readonly from: string;
  readonly where?: string;
  /** Columns that together identify a row, in the order of an index. */
  readonly key: readonly string[];
  /** The expressions of columns that are not read by their name from the first table. */
  readonly expressions?: Readonly<Record<string, string>>;
}

const HAS_FIRST_ATTEMPT = '(first_attempt).number IS NOT NULL';

/** The first attempt is stored in the row of its delivery. */
const FIRST_ATTEMPT = {
  delivery_id: 'id',
  ...Object.fromEntries(
    Object.keys(movedTable('attempts').columns)
      .filter((column) => column !== 'delivery_id')
      .map((column) => [column, `(first_attempt).${column}`]),
  ),
};

/** Moved tables that are not read one-to-one from the table of the same name. */
const STANDS_OTHERWISE: Partial<Record<MovedTableName, readonly StoredPart[]>> = {
  settings: [{ from: 'settings', where: `settings.name <> '${MOVE_MARK}'`, key: ['settings.name'] }],
  closings: [
    {
      from: 'closings',
      key: ['closings.endpoint_id', 'closings.generation'],
      expressions: { to_sweep: 'true' },
    },
  ],
  deliveries: [
    {
      from: `open_deliveries LEFT JOIN LATERAL (
        SELECT claim.expires_at FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) AS claim
        WHERE lanes.endpoint_id = open_deliveries.webhook_id AND claim.delivery_id = open_deliveries.id
        LIMIT 1
      ) AS held ON true`,
      key: ['open_deliveries.id'],
      expressions: {
        delivered_at: 'NULL::bigint',
        due_at: 'coalesce(held.expires_at, open_deliveries.due_at)',
        lost_claims: 'open_deliveries.lost_claims + (held.expires_at IS NOT NULL)::integer',
      },
    },
    {
      from: 'deliveries',
      key: ['deliveries.id'],
      expressions: { due_at: 'NULL::bigint', lost_claims: '0' },
    },
  ],
  attempts: [
    {
      from: 'open_deliveries',
      where: HAS_FIRST_ATTEMPT,
      key: ['open_deliveries.id'],
      expressions: FIRST_ATTEMPT,
    },
    { from: 'deliveries', where: HAS_FIRST_ATTEMPT, key: ['deliveries.id'], expressions: FIRST_ATTEMPT },
    { from: 'attempts', key: ['attempts.delivery_id', 'attempts.number'] },
  ],
  queued_events: [
    {
      from: 'queued_events',
      // Leaves out events of deleted subscriptions, which are about to be swept.
      where: 'EXISTS (SELECT 1 FROM trunkline.subscriptions WHERE subscriptions.id = subscription_id)',
      key: ['queued_events.event_id', 'queued_events.subscription_id'],
    },
  ],
};

export function storedParts(name: MovedTableName): readonly StoredPart[] {
  return (
    STANDS_OTHERWISE[name] ?? [{ from: name, key: movedTable(name).key.map((column) => `${name}.${column}`) }]
  );
}

/** The first table of a part, whose columns are read by name. */
export function mainTable({ from }: StoredPart): string {
  return from.split(/\s/)[0] ?? from;
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
  schema_versions: 'the schema of this database',
  instances: {
    lease_owner: 'a lease of a process that has ended',
    lease_expires_at: 'a lease of a process that has ended',
    lease_reserved_for: 'a lease of a process that has ended',
    lease_process: 'a lease of a process that has ended',
  },
  lease_owners: 'processes of this database',
  processes: 'processes of this database',
  process_reports: 'processes of this database',
  queues: 'follows from instances, queued_messages and held_messages',
  contents: { is_upload: 'says which prefix message_id has' },
  endpoints: { generation: 'that of its lane' },
  open_deliveries: { first_attempt: 'moved with attempts' },
  deliveries: { first_attempt: 'moved with attempts' },
  lanes: {
    wake_at: 'follows from the deliveries that are due',
    claims: 'claims of processes that have ended: moved with deliveries, as due when they would have ended',
    slots: 'no claim is moved',
  },
  wake: 'follows from the deliveries that are due',
  claim_limits: 'the first claim works them out',
  deleted_subscriptions: 'what is queued for them is not moved',
  queued_events: {
    process: 'a claim of a process that has ended: its event is due when the lease would have ended',
  },
};
