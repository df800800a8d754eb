import { idToUuid, uuidToId } from '@trunkline/core/spi/storage';
import { Pool } from 'pg';
import { postgresUrl, schemaOf } from '../postgres.ts';
import { cpuOfFamily, parentOf } from './cpu.ts';

/** The load of a cluster on its database, per second. */
export interface DatabaseLoad {
  readonly statements: number;
  readonly commits: number;
  readonly notifications: number;
  /** Kilobytes of write-ahead log. */
  readonly wal: number;
}

export interface Observer {
  /** How many instances connected at `since` (epoch milliseconds) or later, and still are connected. */
  connectedSince(since: number): Promise<number>;
  /** How many instances each process holds, in descending order. */
  shares(): Promise<readonly number[]>;
  heldBy(pid: number): Promise<readonly string[]>;
  holdsAny(pid: number): Promise<boolean>;
  /** When each of these messages was accepted and sent; omits unsent messages. */
  sentTimes(messageIds: readonly string[]): Promise<readonly SentTime[]>;
  load(seconds: number): Promise<DatabaseLoad>;
  /** The CPU seconds that PostgreSQL has used; NaN if it runs elsewhere. */
  serverCpu(): number;
  /** The statements that took the most time since the last call. */
  dearest(count: number): Promise<readonly DearStatement[]>;
  close(): Promise<void>;
}

/** Times in epoch milliseconds. */
export interface SentTime {
  readonly id: string;
  readonly acceptedAt: number;
  readonly sentAt: number;
}

interface DearStatement {
  readonly calls: number;
  readonly totalMs: number;
  readonly text: string;
}

export const OBSERVED_SETTINGS: readonly string[] = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=top',
  'max_connections=400',
];

export async function observe(directory: string): Promise<Observer> {
  const schema = schemaOf(directory);
  const pool = new Pool({ connectionString: postgresUrl(), max: 2 });
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const all = async (sql: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> =>
    (
      await pool.query<Record<string, unknown>>(
        sql.replaceAll('trunkline.', `${schema}.`).replace('SELECT', `SELECT ${OURS}`),
        [...values],
      )
    ).rows;
  const number = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    Number((await all(sql, ...values))[0]?.['value']);
  const server = parentOf(await number('SELECT pg_backend_pid() AS value'));

  const counters = async (): Promise<DatabaseLoad> => ({
    statements: await number(`SELECT sum(calls) AS value FROM pg_stat_statements WHERE ${NOT_OURS}`),
    commits: await number(
      'SELECT xact_commit AS value FROM pg_stat_database WHERE datname = current_database()',
    ),
    notifications: await number(
      "SELECT coalesce(sum(rows), 0) AS value FROM pg_stat_statements WHERE query LIKE '%pg_notify%'",
    ),
    wal: await number("SELECT (pg_current_wal_lsn() - '0/0') / 1024 AS value"),
  });

  return {
    connectedSince: (since) =>
      number(
        "SELECT count(*) AS value FROM trunkline.instances WHERE status = 'connected' AND lease_owner <> '' AND connected_at >= $1",
        since,
      ),
    shares: async () =>
      (
        await all(
          "SELECT count(*) AS held FROM trunkline.instances WHERE lease_owner <> '' GROUP BY lease_owner ORDER BY 1 DESC",
        )
      ).map((row) => Number(row['held'])),
    heldBy: async (pid) =>
      (await all(`SELECT instances.id ${HELD_BY}`, pid)).map((row) => uuidToId('ins', String(row['id']))),
    holdsAny: async (pid) => (await all(`SELECT 1 ${HELD_BY} LIMIT 1`, pid)).length > 0,
    sentTimes: async (messageIds) =>
      (
        await all(
          'SELECT id, created_at, sent_at FROM trunkline.messages WHERE id = ANY ($1::uuid[]) AND sent_at IS NOT NULL',
          messageIds.map((id) => idToUuid('msg', id)),
        )
      ).map((row) => ({
        id: uuidToId('msg', String(row['id'])),
        acceptedAt: Number(row['created_at']),
        sentAt: Number(row['sent_at']),
      })),
    async load(seconds) {
      const before = await counters();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const after = await counters();
      const perSecond = (figure: keyof DatabaseLoad): number => (after[figure] - before[figure]) / seconds;
      return {
        statements: perSecond('statements'),
        commits: perSecond('commits'),
        notifications: perSecond('notifications'),
        wal: perSecond('wal'),
      };
    },
    serverCpu: () => cpuOfFamily(server),
    async dearest(count) {
      const rows = await all(
        `SELECT calls, total_exec_time AS total, regexp_replace(query, '\\s+', ' ', 'g') AS text
         FROM pg_stat_statements WHERE ${NOT_OURS} ORDER BY total_exec_time DESC LIMIT ${count}`,
      );
      await all('SELECT pg_stat_statements_reset()');
      return rows.map((row) => ({
        calls: Number(row['calls']),
        totalMs: Number(row['total']),
        text: String(row['text']).trim().slice(0, 90),
      }));
    },
    async close() {
      await pool.end();
    },
  };
}

const HELD_BY = `
  FROM trunkline.instances JOIN trunkline.processes ON processes.id = lease_process
  WHERE pid = $1 AND lease_owner <> ''`;

/** Excludes the observer's own queries. */
const OURS = '/* observer */';
const NOT_OURS = `query NOT LIKE '%${OURS}%'`;
