import { latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { NotificationClaim } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { json } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

/** A table of notifications that remain to be sent, and the column that holds them. */
export interface OwedTable {
  readonly table: string;
  readonly column: string;
}

export async function oweNotification(
  statements: Statements,
  { table, column }: OwedTable,
  notification: { readonly id: string },
): Promise<void> {
  await statements.insert(table, {
    id: uuidOf('ntc', notification.id),
    [column]: JSON.stringify(notification),
    owed_at: 0,
  });
}

/** Claims due notifications for `leaseMs`. Skips notifications that other processes are claiming. */
export async function claimNotifications<Owed extends object>(
  connected: Connected,
  { table, column }: OwedTable,
  { now, leaseMs, limit }: NotificationClaim,
): Promise<readonly Owed[]> {
  const sql = `
    WITH owed AS (
      SELECT id FROM ${table} WHERE owed_at <= $1 OR owed_at > $4
      ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE ${table} AS row SET owed_at = $2 FROM owed WHERE row.id = owed.id RETURNING row.id, row.${column}
    )
    SELECT ${column} FROM claimed ORDER BY id`;
  const rows = await connected().all(sql, now, now + leaseMs, limit, latestLeaseEnd(now, leaseMs));
  return rows.map((row) => json<Owed>(row, column));
}

export async function completeNotification(
  connected: Connected,
  { table }: OwedTable,
  id: string,
): Promise<void> {
  await connected().run(`DELETE FROM ${table} WHERE id = $1`, uuidToFind('ntc', id));
}
