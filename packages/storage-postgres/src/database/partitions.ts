import { floorId } from '@trunkline/core/spi/storage';
import type { Database, Transaction } from './database.ts';
import { sqlState } from './pool.ts';
import type { Statements } from './statements.ts';
import { uuidOf } from '../rows/uuid.ts';

/** A table whose rows are partitioned by the day (UTC) on which the ids in this column were created. */
export interface PartitionedTable {
  readonly name: 'events' | 'event_log' | 'deliveries' | 'attempts';
  readonly key: 'id' | 'delivery_id';
}

export const EVENTS: PartitionedTable = { name: 'events', key: 'id' };
export const EVENT_LOG: PartitionedTable = { name: 'event_log', key: 'id' };
export const DELIVERIES: PartitionedTable = { name: 'deliveries', key: 'id' };
export const ATTEMPTS: PartitionedTable = { name: 'attempts', key: 'delivery_id' };

const TABLES: readonly PartitionedTable[] = [EVENTS, EVENT_LOG, DELIVERIES, ATTEMPTS];

export const DAY_MS: number = 24 * 60 * 60 * 1000;

/** The number of days for which partitions are created, including today, so that maintenance may fail for a while. */
const DAYS_AHEAD = 4;

/** Limits how long this statement, and all statements that queue behind it, wait for a lock that a reader holds. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '200ms'";

interface Partition {
  readonly table: PartitionedTable;
  /** The beginning of the day, in epoch milliseconds. */
  readonly day: number;
}

/**
 * Creates the missing partitions of `now`'s day and of the following days. Rows that come before the partition of their
 * day are stored in the default partition, so a failure here does no harm, and the next call tries again.
 */
export async function makePartitions(database: Database, now: number): Promise<void> {
  const today = startOfDay(now);
  const days = Array.from({ length: DAYS_AHEAD }, (_, index) => today + index * DAY_MS);
  await makeMissing(
    database,
    TABLES.flatMap((table) => days.map((day) => ({ table, day }))),
  );
}

/**
 * Creates the partitions of past days, for rows that come from another database. A failure does no harm, as in
 * `makePartitions`.
 */
export async function makePartitionsOf(
  database: Database,
  table: PartitionedTable,
  days: readonly number[],
): Promise<void> {
  await makeMissing(
    database,
    days.map((day) => ({ table, day })),
  );
}

/**
 * One transaction for each table, because attaching a partition locks the table's default partition exclusively: a
 * transaction that kept several of them locked could deadlock with those that write to several tables.
 */
async function makeMissing(database: Database, wanted: readonly Partition[]): Promise<void> {
  const missing = await missingOf(database, wanted);
  for (const table of new Set(missing.map((partition) => partition.table))) {
    const ofTable = missing.filter((partition) => partition.table === table);
    await unlessInTheWay(() =>
      database.transaction(async (transaction) => {
        await transaction.run(LOCK);
        await transaction.run(LOCK_TIMEOUT);
        // Another process may have created some by now.
        for (const partition of await missingOf(transaction, ofTable)) {
          await makePartition(transaction, partition);
        }
      }),
    );
  }
}

/** Lets one process at a time create partitions. The processes that waited then find nothing left to do. */
const LOCK = `
  SELECT pg_advisory_xact_lock(${0x74726e6b}, (SELECT tableoid::integer FROM trunkline.schema_versions LIMIT 1))`;

async function missingOf(
  statements: Statements,
  wanted: readonly Partition[],
): Promise<readonly Partition[]> {
  const made = new Set((await listAll(statements)).map(nameOf));
  return wanted.filter((partition) => !made.has(nameOf(partition)));
}

/** The days for which a table has partitions, oldest first. */
export async function listPartitions(
  statements: Statements,
  table: PartitionedTable,
): Promise<readonly number[]> {
  const partitions = await listAll(statements);
  return partitions.filter((partition) => partition.table === table).map(({ day }) => day);
}

async function listAll({ all }: Statements): Promise<readonly Partition[]> {
  const rows = await all(PARTITIONS);
  return rows.flatMap((row) => {
    const table = TABLES.find(({ name }) => name === row['parent']);
    const day = dayOf(String(row['partition']));
    return table && !Number.isNaN(day) ? [{ table, day }] : [];
  });
}

const PARTITIONS = `
  SELECT parent.relname AS parent, partition.relname AS partition
  FROM pg_catalog.pg_class AS ours
  JOIN pg_catalog.pg_class AS parent ON parent.relnamespace = ours.relnamespace AND parent.relkind = 'p'
  JOIN pg_catalog.pg_inherits ON inhparent = parent.oid
  JOIN pg_catalog.pg_class AS partition ON partition.oid = inhrelid
  WHERE ours.oid = (SELECT tableoid FROM trunkline.schema_versions LIMIT 1)
  ORDER BY partition.relname`;

/** Drops a day of a table in one step. Returns false if a reader was in the way, so that the partition still exists. */
export async function dropPartition(database: Database, partition: Partition): Promise<boolean> {
  return unlessInTheWay(() =>
    database.transaction(async ({ run }) => {
      await run(LOCK_TIMEOUT);
      await run(`DROP TABLE IF EXISTS trunkline.${nameOf(partition)}`);
    }),
  );
}

/** The smallest uuid that an id created at this time or later can have. */
export function floorUuid(time: number): string {
  return uuidOf('whd', floorId('whd', time));
}

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

async function makePartition({ get, run }: Transaction, partition: Partition): Promise<void> {
  const { name, key } = partition.table;
  const [from, to] = [floorUuid(partition.day), floorUuid(partition.day + DAY_MS)];
  const isTaken = await get(
    `SELECT 1 FROM trunkline.${name}_default WHERE ${key} >= $1 AND ${key} < $2 LIMIT 1`,
    from,
    to,
  );
  if (isTaken) return;
  const table = `trunkline.${nameOf(partition)}`;
  // Attaching a table does not lock out readers and writers of other partitions, as creating it as a partition would.
  await run(`CREATE TABLE ${table} (LIKE trunkline.${name} INCLUDING ALL)`);
  await run(
    `ALTER TABLE trunkline.${name} ATTACH PARTITION ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
  );
}

/** A name like `deliveries_20261120`. */
function nameOf({ table, day }: Partition): string {
  return `${table.name}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Returns NaN if this is not the name of a day's partition. */
function dayOf(name: string): number {
  return Date.parse(name.replace(/^.*_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'));
}

/**
 * The SQLSTATEs if another process has just created the partition, if rows for it came first, or if another transaction
 * holds a lock.
 */
const IN_THE_WAY: readonly (string | undefined)[] = ['42P07', '23505', '23514', '55P03'];

async function unlessInTheWay(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (IN_THE_WAY.includes(sqlState(error))) return false;
    throw error;
  }
}
