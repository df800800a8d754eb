import { COLUMN_TYPES } from './column-types.ts';
import type { Queryable } from './queryable.ts';

export interface Session {
  /** Whether PostgreSQL is a replica, to which nothing can be written. */
  readonly isOnReplica: boolean;
  /**
   * Whether a statement outside of a transaction has the isolation and the access that it needs, and no limit except
   * `statement_timeout`.
   */
  readonly isPlain: boolean;
  /** `statement_timeout`; 0 if there is none. */
  readonly statementTimeoutMs: number;
  /** Limits that a transaction has to lift. */
  readonly limits: readonly string[];
}

/** Reads settings that a role, a database, the server or the app that shares its pool may have changed. */
export async function readSession(client: Queryable, timeoutMs: number): Promise<Session> {
  const { rows } = await client.query({ text: SESSION, types: COLUMN_TYPES, query_timeout: timeoutMs });
  const settings = new Map(rows.map(({ name, setting }) => [String(name), String(setting)]));
  const limits = LIMITS.filter((limit) => (settings.get(limit) ?? '0') !== '0');
  return {
    isOnReplica: rows[0]?.['is_on_replica'] === true,
    isPlain:
      settings.get('default_transaction_isolation') === 'read committed' &&
      settings.get('default_transaction_read_only') === 'off' &&
      limits.length === 0,
    statementTimeoutMs: Number(settings.get('statement_timeout')),
    limits,
  };
}

/** `transaction_timeout` exists since PostgreSQL 17. */
const LIMITS = ['lock_timeout', 'transaction_timeout'];

const SESSION = `
  SELECT pg_is_in_recovery() AS is_on_replica, name, setting FROM pg_catalog.pg_settings
  WHERE name IN ('default_transaction_isolation', 'default_transaction_read_only', 'statement_timeout',
    'lock_timeout', 'transaction_timeout')`;

/** Whether a statement may run outside of a transaction; inside one, `transactionStart` sets what it needs. */
export function runsAlone({ isPlain, statementTimeoutMs }: Session, timeoutMs: number): boolean {
  return isPlain && (statementTimeoutMs === 0 || statementTimeoutMs >= timeoutMs);
}

/** A setting that nothing but `transactionStart` sets. */
const BEGUN = 'trunkline_storage.begun';

/** SQL that is true only in a transaction that `transactionStart` has begun. */
export const IN_TRANSACTION: string = `coalesce(current_setting('${BEGUN}', true), '') = 'yes'`;

export type TransactionKind = 'write' | 'snapshot';

const KINDS: Readonly<Record<TransactionKind, string>> = {
  write: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
};

/**
 * SQL that begins a transaction. The transaction does not depend on the settings of the session, and leaves the
 * settings as they are.
 */
export function transactionStart(kind: TransactionKind, { limits }: Session, timeoutMs: number): string {
  const settings = [
    // Lets PostgreSQL end statements that this process can no longer end, for example because its machine has
    // disappeared.
    `statement_timeout = ${timeoutMs}`,
    `idle_in_transaction_session_timeout = ${timeoutMs}`,
    ...limits.map((limit) => `${limit} = 0`),
    `${BEGUN} = 'yes'`,
    // The planner overestimates arrays of unknown length, so compiling a statement would take longer than running it.
    'jit = off',
  ];
  return [KINDS[kind], ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');
}
