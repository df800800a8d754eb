import { MOVE_MARK, MOVED_TABLE_NAMES, movedTable, parseMoveMark, whileOpen } from '@trunkline/storage-kit';
import type {
  MovableDatabase,
  MoveCursor,
  MovedPage,
  MovedRow,
  MovedTableName,
  MovedValue,
  MoveMark,
} from '@trunkline/storage-kit';
import { createDatabase } from '../database.ts';
import type { Database, Transaction } from '../database.ts';
import { migrate } from '../migrations/migrate.ts';
import { checkOptions } from '../options.ts';
import type { PostgresStorageOptions } from '../options.ts';
import { makePartitions } from '../partitions.ts';
import { hearErrors, makePool } from '../pool.ts';
import type { PostgresPool } from '../pool.ts';
import { entities, integer, text } from '../row.ts';
import { createPrepare } from '../statements.ts';
import type { Statements } from '../statements.ts';
import { freeze, thaw } from './frozen.ts';
import { contentAsMoved, readMoved } from './moved-values.ts';
import { mainTable, storedParts } from './stored-tables.ts';
import { finishMove, writeRows } from './written-rows.ts';

/** A statement here may read a whole table. */
const TIMEOUT_MS = 600_000;

/** The PostgreSQL database for `trunkline move`. */
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
        pool.on('error', () => undefined); // a connection that breaks while nothing is asked of it
        pool.on('connect', hearErrors);
        try {
          const installation = await migrate({ pool, schema, logger, isMoving: true });
          return await openOn(pool, { schema, installation, logger });
        } catch (error) {
          await pool.end();
          const why = error instanceof Error ? error.message : String(error);
          throw new Error(`The PostgreSQL database cannot be used: ${why}`, { cause: error });
        }
      }),
    close,
    mark: async () => {
      const row = await database().get(FIND_MARK, MOVE_MARK);
      return row ? parseMoveMark(text(row, 'value')) : null;
    },
    writeMark: async (mark) => database().transaction((transaction) => writeMark(transaction, mark)),
    isEmpty: async () => {
      for (const name of MOVED_TABLE_NAMES) {
        for (const part of storedParts(name)) {
          if (await database().get(`SELECT 1 FROM trunkline.${mainTable(part)} LIMIT 1`)) return false;
        }
      }
      return true;
    },
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
    write: async (name, rows, mark) =>
      database().transaction(async (transaction) => {
        await writeRows(transaction, name, rows);
        await writeMark(transaction, mark);
      }),
    finish: async (mark) => {
      await database().transaction(async (transaction) => {
        await finishMove(transaction);
        await writeMark(transaction, mark);
      });
      // The planner knows nothing of so many new rows yet.
      for (const name of MOVED_TABLE_NAMES) {
        for (const part of storedParts(name)) await database().run(`ANALYZE trunkline.${mainTable(part)}`);
      }
    },
  };
}

interface Opened {
  readonly database: Database;
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
    prepare: createPrepare({ schema, preparedStatements: true, timeoutMs: TIMEOUT_MS }),
    context: {
      logger,
      newId: () => {
        throw new Error('A move makes no ids.');
      },
    },
    installation,
    process: () => 0,
    timeoutMs: TIMEOUT_MS,
    publish: () => {},
    notification: () => null,
  });
  const row = await database.get('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  // Before rows come for which there is none.
  if (row) await makePartitions(database, integer(row, 'now'));
  return { database, idle: () => database.idle(), close: () => pool.end() };
}

const FIND_MARK = 'SELECT value FROM trunkline.settings WHERE name = $1';

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
      next: { part: index, after: key.map((_, place) => last[`key_${place}`] as string | number) }, // as it was selected
    };
  return { rows, next: index + 1 < parts.length ? { part: index + 1, after: null } : null };
}
