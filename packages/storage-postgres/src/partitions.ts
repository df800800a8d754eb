import { floorId } from '@trunkline/core';
import type { Database, Transaction } from './database.ts';
import { sqlState } from './pool.ts';
import { uuidOf } from './uuid.ts';

/** A table whose rows are kept by the day (UTC) in which the ids of this column were made. */
export interface PartitionedTable {
  readonly name: 'events' | 'deliveries' | 'attempts';
  readonly key: 'id' | 'delivery_id';
}

export const EVENTS: PartitionedTable = { name: 'events', key: 'id' };
export const DELIVERIES: PartitionedTable = { name: 'deliveries', key: 'id' };
export const ATTEMPTS: PartitionedTable = { name: 'attempts', key: 'delivery_id' };

export const DAY_MS: number = 24 * 60 * 60 * 1000;

/** Days, today among them, that there are partitions for: maintenance may be away for as long. */
const DAYS_AHEAD = 4;

/** How long all others wait for us at most, where a reader that is not done keeps us waiting. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'";

/**
 * Makes the partitions of `now`'s day and of those after it that are missing. A day for which there is none yet, or for
 * which rows came first, has its rows in the default partition: so what fails here is no matter, and is tried again.
 */
export async function makePartitions(database: Database, now: number): Promise<void> {
  const today = startOfDay(now);
  const days = Array.from({ length: DAYS_AHEAD }, (_, index) => today + index * DAY_MS);
  for (const table of [EVENTS, DELIVERIES, ATTEMPTS]) {
    const made = new Set(await listPartitions(database, table));
    for (const day of days.filter((one) => !made.has(one))) {
      await unlessInTheWay(() =>
        database.transaction((transaction) => makePartition(transaction, table, day)),
      );
    }
  }
}

/** The days that a table has partitions for, oldest first. */
export async function listPartitions(
  { all }: Pick<Database, 'all'>,
  table: PartitionedTable,
): Promise<readonly number[]> {
  const rows = await all(partitionsOf(table));
  return rows.map((row) => dayOf(String(row['relname']))).filter((day) => !Number.isNaN(day));
}

/** Drops a day of a table at once. Answers false where a reader was in the way: then it is still there. */
export async function dropPartition(
  database: Database,
  table: PartitionedTable,
  day: number,
): Promise<boolean> {
  return unlessInTheWay(() =>
    database.transaction(async ({ run }) => {
      await run(LOCK_TIMEOUT);
      await run(`DROP TABLE IF EXISTS trunkline.${nameOf(table, day)}`);
    }),
  );
}

/** The smallest uuid that can have been made at this time or later. */
export function floorUuid(time: number): string {
  return uuidOf('whd', floorId('whd', time));
}

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

function partitionsOf({ name }: PartitionedTable): string {
  return `
    SELECT relname FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'trunkline.${name}'::regclass
    ORDER BY relname`;
}

async function makePartition({ get, run }: Transaction, table: PartitionedTable, day: number): Promise<void> {
  const { name, key } = table;
  const [from, to] = [floorUuid(day), floorUuid(day + DAY_MS)];
  await run(LOCK_TIMEOUT);
  const isTaken = await get(
    `SELECT 1 FROM trunkline.${name}_default WHERE ${key} >= $1 AND ${key} < $2 LIMIT 1`,
    from,
    to,
  );
  if (isTaken) return;
  // To attach one keeps readers and writers of other partitions out for no moment, as making it in its place would.
  await run(`CREATE TABLE trunkline.${nameOf(table, day)} (LIKE trunkline.${name} INCLUDING ALL)`);
  await run(
    `ALTER TABLE trunkline.${name} ATTACH PARTITION trunkline.${nameOf(table, day)}
     FOR VALUES FROM ('${from}') TO ('${to}')`,
  );
}

/** As `deliveries_20261120`. */
function nameOf({ name }: PartitionedTable, day: number): string {
  return `${name}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** NaN where it is not the name of a day's partition. */
function dayOf(name: string): number {
  return Date.parse(name.replace(/^.*_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'));
}

/** Made by another process just now; rows that have come first; a lock that others hold. */
const IN_THE_WAY: readonly (string | undefined)[] = ['42P07', '42P17', '23505', '23514', '55P03'];

async function unlessInTheWay(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (IN_THE_WAY.includes(sqlState(error))) return false;
    throw error;
  }
}
