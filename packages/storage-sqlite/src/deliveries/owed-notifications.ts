import { latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { NotificationClaim } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { json, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** A table of notifications that remain to be sent, and the column that holds them. */
export interface OwedTable {
  readonly table: string;
  readonly column: string;
}

export function oweNotification(
  database: Database,
  { table, column }: OwedTable,
  notification: { readonly id: string },
): void {
  database.insert(table, { id: notification.id, [column]: JSON.stringify(notification), owed_at: 0 });
}

export async function claimNotifications<Owed extends object>(
  connected: Connected,
  { table, column }: OwedTable,
  { now, leaseMs, limit }: NotificationClaim,
): Promise<readonly Owed[]> {
  const { database, write } = connected();
  const sql = `SELECT * FROM ${table} WHERE owed_at <= ? OR owed_at > ? ORDER BY id LIMIT ?`;
  const owed = (count: number): readonly Row[] => database.all(sql, now, latestLeaseEnd(now, leaseMs), count);
  // Checks first, because a pass that finds nothing need not write.
  if (owed(1).length === 0) return [];
  return write(() => {
    const claimed = owed(limit);
    for (const row of claimed) database.update(table, text(row, 'id'), { owed_at: now + leaseMs });
    return claimed.map((row) => json<Owed>(row, column));
  });
}

export async function completeNotification(
  connected: Connected,
  { table }: OwedTable,
  id: string,
): Promise<void> {
  const { database, write } = connected();
  await write(() => database.run(`DELETE FROM ${table} WHERE id = ?`, id));
}
