import { IDEMPOTENCY_WINDOW_MS } from '@trunkline/core/spi/storage';
import type { IdempotencyRecord } from '@trunkline/core/spi/storage';
import { entities, id } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export interface OwnedKey {
  readonly workspaceId: string;
  readonly key: string;
}

export async function findIdempotencyRecord(
  statements: Statements,
  { workspaceId, key }: OwnedKey,
): Promise<IdempotencyRecord | null> {
  const row = await statements.get(
    'SELECT * FROM trunkline.idempotency_records WHERE workspace_id = $1 AND key = $2',
    uuidToFind('ten', workspaceId),
    encodeText(key),
  );
  return row ? entities.idempotencyRecord.read(row) : null;
}

/** Returns the records of these keys, by `nameOfKey`. */
export async function findIdempotencyRecords(
  statements: Statements,
  keys: readonly OwnedKey[],
): Promise<Map<string, IdempotencyRecord>> {
  if (keys.length === 0) return new Map();
  const found = await statements.all(
    FIND_ALL,
    keys.map(({ workspaceId }) => uuidToFind('ten', workspaceId)),
    keys.map(({ key }) => encodeText(key)),
  );
  return new Map(
    found.map((row) => {
      const record = entities.idempotencyRecord.read(row);
      return [nameOfKey({ workspaceId: id(row, 'workspace_id', 'ten'), key: record.key }), record];
    }),
  );
}

const FIND_ALL = `
  SELECT idempotency_records.*
  FROM unnest($1::uuid[], $2::text[]) AS asked (workspace_id, key)
  JOIN trunkline.idempotency_records USING (workspace_id, key)`;

export function nameOfKey({ workspaceId, key }: OwnedKey): string {
  return `${workspaceId} ${key}`;
}

/** Stores records, replacing expired ones. Returns false if another request used one of the keys in the meantime. */
export async function remember(
  statements: Statements,
  records: readonly (IdempotencyRecord & OwnedKey)[],
): Promise<boolean> {
  if (records.length === 0) return true;
  const columns = records.map((record) => ({
    workspace_id: uuidOf('ten', record.workspaceId),
    ...entities.idempotencyRecord.columns(record),
  }));
  return (await statements.run(REMEMBER, JSON.stringify(columns), IDEMPOTENCY_WINDOW_MS)) === columns.length;
}

// Sorted by key, so that concurrent calls that store the same keys cannot deadlock.
const REMEMBER = `
  INSERT INTO trunkline.idempotency_records AS stored (workspace_id, key, fingerprint, message_id, created_at)
  SELECT workspace_id, key, fingerprint, message_id, created_at
  FROM json_to_recordset($1::text::json)
    AS record (workspace_id uuid, key text, fingerprint text, message_id uuid, created_at bigint)
  ORDER BY workspace_id, key
  ON CONFLICT (workspace_id, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, message_id = excluded.message_id, created_at = excluded.created_at
    WHERE excluded.created_at - stored.created_at >= $2::bigint`;
