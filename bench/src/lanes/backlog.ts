import { idToUuid } from '@trunkline/core/spi/storage';
import { Pool } from 'pg';
import { postgresUrl, schemaOf } from '../postgres.ts';

interface Backlog {
  readonly workspaceId: string;
  readonly endpointIds: readonly string[];
  readonly count: number;
}

/** The number of rows in one statement, small enough to limit its memory and WAL. */
const BATCH = 100_000;

/**
 * Inserts open deliveries by SQL, because the storage would take longer than the measurement. They are due now, and
 * each has a separate event.
 */
export async function fillLanes(
  directory: string,
  { workspaceId, endpointIds, count }: Backlog,
): Promise<void> {
  const schema = schemaOf(directory);
  const pool = new Pool({ connectionString: postgresUrl(), max: 1 });
  const run = (sql: string, values: readonly unknown[] = []): Promise<unknown> =>
    pool.query(sql.replaceAll('trunkline.', `${schema}.`), [...values]);
  const uuids = endpointIds.map((id) => idToUuid('wh', id));
  const workspace = idToUuid('ten', workspaceId);
  const now = Date.now();
  for (let first = 0; first < count; first += BATCH) {
    const last = Math.min(count, first + BATCH) - 1;
    await run(FILL, [first, last, now, workspace, uuids]);
  }
  await run('INSERT INTO trunkline.wake (endpoint_id, due_at) SELECT unnest($1::uuid[]), $2', [uuids, now]);
  // Autovacuum would analyze these tables later.
  for (const table of ['events', 'open_deliveries', 'lanes']) await run(`ANALYZE trunkline.${table}`);
  await run('CHECKPOINT');
  await pool.end();
}

/** An SQL expression for the uuid of a kind and a row, with the time `$3`. */
const uuidOf = (kind: string): string => `(
  lpad(to_hex($3::bigint), 12, '0') || '7' || lpad(to_hex(row / 65536 % 4096), 3, '0')
  || '8' || lpad(to_hex(row % 65536), 4, '0') || substr(md5('${kind}' || row), 1, 11)
)::uuid`;

const FILL = `
  WITH made AS MATERIALIZED (
    SELECT row, ${uuidOf('event')} AS event_id, ${uuidOf('delivery')} AS delivery_id,
      ($5::uuid[])[CASE WHEN row % 2 = 0 THEN 1 ELSE 1 + row / 2 % cardinality($5::uuid[]) END] AS webhook_id
    FROM generate_series($1::integer, $2::integer) AS row
  ), stored AS (
    INSERT INTO trunkline.events (id, workspace_id, type, occurred_at, payload)
    SELECT event_id, $4, 'message.sent', $3::bigint * 1000,
      '{"id":"evt","type":"message.sent","text":"' || repeat('hello world ', 40) || '"}'
    FROM made
  )
  INSERT INTO trunkline.open_deliveries (
    id, workspace_id, webhook_id, event_id, event_type, event_occurred_at, generation, status,
    attempts, max_attempts, manual, created_at, due_at, lost_claims
  )
  SELECT delivery_id, $4, webhook_id, event_id, 'message.sent', $3::bigint * 1000, 1, 'pending', 0, 8, false, $3::bigint,
    $3::bigint, 0
  FROM made`;
