import { idToUuid } from '@trunkline/core/spi/storage';
import type { Endpoint, EventSubscription, Instance } from '@trunkline/core/spi/storage';
import { DAY, NOW } from '@trunkline/storage-contract/examples';
import { must } from '@trunkline/test-support';
import type { TestSchema } from './test-schema.ts';

/** The number of days that the history covers. */
export const DAYS = 8;

/** The number of pending downloads, activity keys, actions, spent tokens and counts, each. */
const OF_AN_INSTANCE = 2_500;

interface Backlog {
  readonly instance: Instance;
  /** The first endpoint has half of all deliveries. */
  readonly endpoints: readonly Endpoint[];
  readonly subscription: EventSubscription;
  /** The id of the message that half of all events are about. */
  readonly discussed: string;
  /**
   * The number of rows of each kind, such as messages (half of them queued), events, ended deliveries and open ones.
   */
  readonly count: number;
}

/** Stores the backlog by SQL, because through the storage it would take too long. */
export async function storeBacklog(
  schema: TestSchema,
  { instance, endpoints, subscription, discussed, count }: Backlog,
): Promise<void> {
  const { pool, name } = schema;
  const endpointIds = endpoints.map(({ id }) => must(idToUuid('wh', id)));
  const run = (sql: string, ...values: readonly unknown[]) =>
    pool.query(sql.replaceAll('trunkline.', `"${name}".`), [...values]);
  const made = `(${NOW - DAYS * DAY} + (row * ${DAYS * DAY}::float8 / ${count})::bigint)`;
  const endpoint = `($1::uuid[])[CASE WHEN row % 2 = 0 THEN 1 ELSE 2 + row / 2 % ${endpoints.length - 1} END]`;
  const workspace = `'${must(idToUuid('ten', instance.workspaceId))}'::uuid`;
  const sender = `'${must(idToUuid('ins', instance.id))}'::uuid`;
  const delivery = (table: string, id: string, columns: string, values: string): string => `
    INSERT INTO trunkline.${table} (
      id, workspace_id, webhook_id, event_id, event_type, event_occurred_at, created_at, max_attempts, manual, ${columns}
    )
    SELECT ${id}, ${workspace}, ${endpoint}, ${uuid(made, 'event')}, 'message.received', ${made} * 1000, ${made}, 8, false, ${values}
    FROM generate_series(1, ${count}) AS row`;

  await run(
    `INSERT INTO trunkline.messages (
       id, workspace_id, instance_id, network_id, sender_id, direction, type, status, recipient, created_at
     )
     SELECT ${uuid(made, 'message')}, ${workspace}, ${sender}, 'network ' || row,
       's', CASE row % 2 WHEN 0 THEN 'outbound' ELSE 'inbound' END, 'text',
       CASE row % 2 WHEN 0 THEN 'queued' ELSE 'received' END, 'recipient ' || row / 4, ${made}
     FROM generate_series(1, ${count}) AS row`,
  );
  await run('INSERT INTO trunkline.unfiled_messages SELECT id FROM trunkline.messages');
  await run(
    `INSERT INTO trunkline.queued_messages (instance_id, position, message_id, recipient, tries, due_at)
     SELECT ${sender}, row, ${uuid(made, 'message')}, 'recipient ' || row / 4, 0, ${made}
     FROM generate_series(2, ${count}, 2) AS row`,
  );
  // Each message has its own recipient. Only the positions count, so inbound messages will do.
  await run(
    `INSERT INTO trunkline.held_messages (instance_id, position, message_id, recipient, tries, due_at, held_since)
     SELECT ${sender}, row, ${uuid(made, 'message')}, 'held ' || row, 0, ${NOW} + 600000, ${made}
     FROM generate_series(1, ${count}, 2) AS row`,
  );
  // Scheduled messages, each for the time of its acceptance. Inbound ones will do, because only the places count.
  await run(
    `INSERT INTO trunkline.scheduled_messages (id, message_id, workspace_id, instance_id, recipient)
     SELECT ${uuid(made, 'message')}, ${uuid(made, 'message')}, ${workspace}, ${sender}, 'later ' || row
     FROM generate_series(1, ${count}, 2) AS row`,
  );
  await run(
    `INSERT INTO trunkline.instance_history
     SELECT ${uuid(made, 'entry')}, ${workspace}, CASE row % 10 WHEN 0 THEN ${sender} ELSE ${uuid('row', 'instance')} END,
       'connection_dropped', 'gateway', 'connected', 'connecting', NULL, '428', NULL, 'a', NULL, ${made}, 1, ${made}
     FROM generate_series(1, ${count}) AS row`,
  );
  await run(`UPDATE trunkline.queues SET length = ${count / 2}, next_position = ${count + 1}`);
  await run(
    `INSERT INTO trunkline.idempotency_records
     SELECT ${workspace}, 'key ' || row, 'fingerprint', ${uuid(made, 'message')}, ${made}
     FROM generate_series(1, ${count}) AS row`,
  );
  await run(
    `INSERT INTO trunkline.events (id, workspace_id, type, occurred_at, payload)
     SELECT ${uuid(made, 'event')}, ${workspace}, 'message.received', ${made} * 1000, '{}'
     FROM generate_series(1, ${count}) AS row`,
  );
  await run(
    `INSERT INTO trunkline.event_log (workspace_id, id, type, instance_id, message_id)
     SELECT ${workspace}, ${uuid(made, 'event')},
       CASE WHEN row % 1000 = 0 THEN 'message.failed' ELSE 'message.received' END, ${sender},
       CASE WHEN row % 2 = 0 THEN $1::uuid ELSE ${uuid(made, 'message')} END
     FROM generate_series(1, ${count}) AS row`,
    must(idToUuid('msg', discussed)),
  );
  await run(
    `INSERT INTO trunkline.queued_events (event_id, subscription_id, event_type, due_at, exhausted_at, attempts, lost_claims)
     SELECT ${uuid(made, 'event')}, '${must(idToUuid('sub', subscription.id))}', 'message.received',
       CASE row % 2 WHEN 0 THEN ${made} END, CASE row % 2 WHEN 1 THEN ${made} END, 0, 0
     FROM generate_series(1, ${count}) AS row`,
  );
  await run(
    delivery(
      'deliveries',
      uuid(made, 'ended'),
      'status, attempts, last_attempt_at, first_attempt',
      `CASE WHEN row % 1000 = 0 THEN 'failed' WHEN row % 10 = 0 THEN 'exhausted' ELSE 'success' END, 1,
        CASE WHEN row % 1000 <> 0 THEN ${made} END, -- what failed was never attempted, as at an endpoint that was disabled
        ROW(1, false, 'https://example.com', 200, 'ok', 5, NULL, ${made})::trunkline.attempt`,
    ),
    endpointIds,
  );
  await run(
    `INSERT INTO trunkline.attempts
     SELECT ${uuid(made, 'ended')}, 2, false, 'https://example.com', 200, 'ok', 5, NULL, ${made}
     FROM generate_series(1, ${count}) AS row`,
  );
  await run(
    delivery(
      'open_deliveries',
      uuid(made, 'open'),
      'generation, status, attempts, due_at, lost_claims',
      `1, 'pending', 0, ${made}, 0`,
    ),
    endpointIds,
  );
  // More downloads of one instance than any part of a plan may read.
  await run(
    `INSERT INTO trunkline.pending_downloads
     SELECT instance_id, id, workspace_id, '\\x0200ff', 0, ${NOW + 60_000}, ${NOW + DAY}
     FROM trunkline.messages WHERE status = 'received' ORDER BY id DESC LIMIT ${OF_AN_INSTANCE}`,
  );
  await run(
    `INSERT INTO trunkline.activity_keys
     SELECT ${sender}, 'key ' || row, row / 500 * 500 FROM generate_series(0, ${OF_AN_INSTANCE - 1}) AS row`,
  );
  await run(
    `INSERT INTO trunkline.message_actions (
       id, workspace_id, instance_id, message_id, network_id, recipient, kind, status, created_at
     )
     SELECT gen_random_uuid(), workspace_id, instance_id, id, network_id, '', 'reaction', 'sent', created_at
     FROM trunkline.messages ORDER BY id DESC LIMIT ${OF_AN_INSTANCE}`,
  );
  await run(
    `INSERT INTO trunkline.spent_tokens
     SELECT 'token ' || row, row / 500 * 500 FROM generate_series(0, ${OF_AN_INSTANCE - 1}) AS row`,
  );
  for (const kind of ['instance', 'webhook', 'workspace'])
    await run(
      `INSERT INTO trunkline.${kind}_traffic
       SELECT gen_random_uuid(), row, '{"sent":1}' FROM generate_series(0, ${OF_AN_INSTANCE - 1}) AS row`,
    );
  await run(`UPDATE trunkline.lanes SET wake_at = ${NOW - DAYS * DAY}`);
  await analyze(schema);
}

/**
 * Analyzes what PostgreSQL would soon analyze automatically: each table with rows, but no partitioned table as a whole.
 */
export async function analyze({ pool, name }: TestSchema): Promise<void> {
  const { rows } = await pool.query<{ tables: string }>(
    `SELECT string_agg(oid::regclass::text, ', ') AS tables FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`,
    [name],
  );
  await pool.query(`ANALYZE ${must(rows[0]).tables}`);
}

/** A uuid built from the time and the row. The uuids of an event and of its deliveries differ only in the last part. */
function uuid(time: string, kind: string): string {
  return `(lpad(to_hex(${time}), 12, '0') || '7' || lpad(to_hex(row % 4096), 3, '0')
    || '8' || substr(md5('order' || row), 1, 4) || '0' || substr(md5('${kind}' || row), 1, 10))::uuid`;
}
