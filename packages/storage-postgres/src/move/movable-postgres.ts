import {
  checkMark,
  MOVE_MARK,
  MOVED_TABLE_NAMES,
  movedTable,
  parseMoveMark,
  whileOpen,
} from '@trunkline/storage-kit';
import type {
  MarkChange,
  MovableDatabase,
  MoveCursor,
  MovedPage,
  MovedRow,
  MovedTableName,
  MovedValue,
  MoveMark,
} from '@trunkline/storage-kit';
import { createDatabase } from '../database/database.ts';
import type { Database, Transaction } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { checkOptions } from '../database/options.ts';
import type { PostgresStorageOptions } from '../database/options.ts';
import { makePartitions } from '../database/partitions.ts';
import { hearErrors, makePool } from '../database/pool.ts';
import type { PostgresPool } from '../database/pool.ts';
import { entities, integer, text } from '../rows/row.ts';
import { createPrepare } from '../database/statements.ts';
import { cannotBeUsed } from '../database/unavailable.ts';
import type { Statements } from '../database/statements.ts';
import { freeze, thaw } from './frozen.ts';
import { preparingDays } from './moved-days.ts';
import type { PrepareDays } from './moved-days.ts';
import { contentAsMoved, readMoved } from './moved-values.ts';
import { mainTable, storedParts } from './stored-tables.ts';
import { finishMove, writeRows } from './written-rows.ts';

/** Long, because a statement here may read a whole table. */
const TIMEOUT_MS = 600_000;

/** A PostgreSQL database that `trunkline move` reads or writes. */
export function movablePostgres(
  options: Pick<PostgresStorageOptions, 'schema'> & { readonly connectionString: string },
): MovableDatabase {
  const { schema } = checkOptions(options);
  const { connected, open, close } = whileOpen<Opened>();
  const database = (): Database => connected().database;
  return {
    open: ({ logger }) =>
      open(async () => {
        const pool = makePool({ connectionString: options.connectionString, maxConnections: 2 });
        pool.on('error', () => undefined); // a connection may break while it is idle
        pool.on('connect', hearErrors);
        try {
          const installation = await migrate({ pool, schema, logger, isMoving: true });
          return await openOn(pool, { schema, installation, logger });
        } catch (error) {
          await pool.end();
          throw cannotBeUsed(error);
        }
      }),
    close,
    // If a batch of a killed process is just being committed, waits for the commit.
    mark: async () =>
      database().transaction(async (transaction) => {
        const stored = await lockMark(transaction);
        return stored === null ? null : parseMoveMark(stored);
      }),
    writeMark: async (mark) => database().transaction((transaction) => writeMark(transaction, mark)),
    isEmpty: async () => isEmpty(database()),
    claim: async (mark) =>
      database().transaction(async (transaction) => {
        await transaction.run('LOCK TABLE trunkline.settings IN SHARE ROW EXCLUSIVE MODE');
        if (!(await isEmpty(transaction))) return false;
        await writeMark(transaction, mark);
        return true;
      }),
    processes: async () =>
      (await database().all('SELECT * FROM trunkline.processes')).map(entities.process.read),
    freeze: async (mark) =>
      database().transaction(async (transaction) => {
        await writeMark(transaction, mark);
        await freeze(transaction);
      }),
    thaw: async () =>
      database().transaction(async (transaction) => {
        await thaw(transaction);
        await writeMark(transaction, null);
      }),
    estimate: async () => {
      let rows = 0;
      for (const name of MOVED_TABLE_NAMES) {
        for (const { from, where = 'true' } of storedParts(name)) {
          const row = await database().get(`SELECT count(*) AS rows FROM trunkline.${from} WHERE ${where}`);
          rows += row ? integer(row, 'rows') : 0;
        }
      }
      return rows;
    },
    read: async (name, from, limit) => readPage(database(), name, { from, limit }),
    write: async (name, rows, marks) => {
      await connected().prepareDays(name, rows);
      await database().transaction(async (transaction) => {
        await changeMark(transaction, marks);
        await writeRows(transaction, name, rows);
      });
    },
    finish: async (marks) => {
      await database().transaction(async (transaction) => {
        await changeMark(transaction, marks);
        await finishMove(transaction);
      });
      // The planner has no statistics of these new rows yet.
      for (const name of MOVED_TABLE_NAMES) {
        for (const part of storedParts(name)) await database().run(`ANALYZE trunkline.${mainTable(part)}`);
      }
    },
  };
}

interface Opened {
  readonly database: Database;
  readonly prepareDays: PrepareDays;
  idle(): Promise<void>;
  close(): Promise<void>;
}

async function openOn(
  pool: PostgresPool & { end(): Promise<void> },
  {
    schema,
    installation,
    logger,
  }: {
    readonly schema: string;
    readonly installation: string;
    readonly logger: Parameters<MovableDatabase['open']>[0]['logger'];
  },
): Promise<Opened> {
  const database = createDatabase({
    pool,
    // The connection may go through a pooler in transaction mode.
    prepare: createPrepare({ schema, preparedStatements: false, timeoutMs: TIMEOUT_MS }),
    context: {
      logger,
      newId: () => {
        throw new Error('A move must not create ids.');
      },
    },
    installation,
    process: () => 0,
    timeoutMs: TIMEOUT_MS,
    publish: () => {},
    notification: () => null,
  });
  const row = await database.get('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  const now = row ? integer(row, 'now') : 0;
  // Partitions must exist before rows for them arrive.
  await makePartitions(database, now);
  return {
    database,
    prepareDays: preparingDays(database, now),
    idle: () => database.idle(),
    close: () => pool.end(),
  };
}

async function isEmpty({ get }: Statements): Promise<boolean> {
  for (const name of MOVED_TABLE_NAMES) {
    for (const part of storedParts(name)) {
      if (await get(`SELECT 1 FROM trunkline.${mainTable(part)} LIMIT 1`)) return false;
    }
  }
  return true;
}

const LOCK_MARK = 'SELECT value FROM trunkline.settings WHERE name = $1 FOR UPDATE';

/** Returns the mark, locked until this transaction ends. */
async function lockMark({ get }: Statements): Promise<string | null> {
  const row = await get(LOCK_MARK, MOVE_MARK);
  return row ? text(row, 'value') : null;
}

async function changeMark(transaction: Transaction, { expected, next }: MarkChange): Promise<void> {
  checkMark(await lockMark(transaction), expected);
  await writeMark(transaction, next);
}

async function writeMark({ run }: Pick<Transaction, 'run'>, mark: MoveMark | null): Promise<void> {
  if (mark === null) await run('DELETE FROM trunkline.settings WHERE name = $1', MOVE_MARK);
  else
    await run(
      `INSERT INTO trunkline.settings (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      MOVE_MARK,
      JSON.stringify(mark),
    );
}

async function readPage(
  { all }: Statements,
  name: MovedTableName,
  { from, limit }: { readonly from: MoveCursor | null; readonly limit: number },
): Promise<MovedPage> {
  const { part: index, after } = from ?? { part: 0, after: null };
  const parts = storedParts(name);
  const part = parts[index];
  if (!part) return { rows: [], next: null };
  const { where = 'true', key, expressions = {} } = part;
  const columns = Object.entries(movedTable(name).columns);
  const read = columns.map(
    ([column]) => `${expressions[column] ?? `${mainTable(part)}.${column}`} AS ${column}`,
  );
  if (name === 'contents') read.push('contents.is_upload');
  const keys = key.map((column, place) => `${column} AS key_${place}`);
  const beyond = after
    ? `AND (${key.join(', ')}) > (${after.map((_, place) => `$${place + 2}`).join(', ')})`
    : '';
  const stored = await all(
    `SELECT ${[...read, ...keys].join(', ')} FROM trunkline.${part.from}
     WHERE ${where} ${beyond} ORDER BY ${key.join(', ')} LIMIT $1`,
    limit,
    ...(after ?? []),
  );
  const rows = stored.map((given): MovedRow => {
    const row = contentAsMoved(name, given);
    return Object.fromEntries(
      columns.map(([column, kind]): [string, MovedValue] => {
        const value = readMoved(kind, row[column]);
        if (value !== undefined) return [column, value];
        throw new TypeError(
          `The column ${column} of ${mainTable(part)} has a value of type ${typeof row[column]}, which cannot be moved: check the database for damage.`,
        );
      }),
    );
  });
  const last = stored.at(-1);
  if (last && stored.length === limit)
    return {
      rows,
      next: { part: index, after: key.map((_, place) => last[`key_${place}`] as string | number) }, // keys are text or integers
    };
  return { rows, next: index + 1 < parts.length ? { part: index + 1, after: null } : null };
}
