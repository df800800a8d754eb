import { orderOfId } from '@trunkline/core/spi/storage';
import type { MovedRow, MovedTableName } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import {
  ATTEMPTS,
  DAY_MS,
  DELIVERIES,
  EVENT_LOG,
  EVENTS,
  makePartitionsOf,
  startOfDay,
} from '../database/partitions.ts';
import type { PartitionedTable } from '../database/partitions.ts';

/**
 * The number of days before today that get their own partitions. History is kept for 30 days, and events for a day
 * longer. Older rows are about to be deleted.
 */
const DAYS_BACK = 40;

const PARTITIONED: Partial<Record<MovedTableName, PartitionedTable>> = {
  events: EVENTS,
  event_log: EVENT_LOG,
  deliveries: DELIVERIES,
  attempts: ATTEMPTS,
};

/** Creates the partitions to which a batch of rows belongs. */
export type PrepareDays = (name: MovedTableName, rows: readonly MovedRow[]) => Promise<void>;

/**
 * Moved rows get the same partitions as rows that were created here, so that whole days are dropped when they are old.
 * In the default partition, each row would be deleted separately, and PostgreSQL would scan all these rows whenever it
 * adds the partition of another day.
 */
export function preparingDays(database: Database, now: number): PrepareDays {
  const today = startOfDay(now);
  const seen = new Set<string>();
  return async (name, rows) => {
    const table = PARTITIONED[name];
    if (!table) return;
    const prefix = name === 'events' || name === 'event_log' ? 'evt' : 'whd';
    const days = new Set(rows.map((row) => startOfDay(orderOfId(prefix, String(row[table.key])).ms)));
    const missing = [...days].filter(
      (day) => day < today && day >= today - DAYS_BACK * DAY_MS && !seen.has(`${name} ${day}`),
    );
    if (missing.length === 0) return;
    await makePartitionsOf(database, table, missing);
    for (const day of missing) seen.add(`${name} ${day}`);
  };
}
