import { Pool } from '#pg';
import { UnavailableError } from '@trunkline/core/spi/storage';
import type { Logger } from '@trunkline/core/spi/storage';
import type { Queryable } from './queryable.ts';
import { reasonFor } from './reasons.ts';
import { readSession } from './session.ts';
import type { Session } from './session.ts';

/** A connection of a pool, as `pg` provides it. */
interface PoolClient extends Queryable {
  /** Whether statements are sent without waiting for the results of earlier ones. */
  readonly pipeline?: boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'notification', listener: (message: PoolNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool; closes it if `destroy`. */
  release(destroy?: boolean): void;
}

interface PoolNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PoolClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'connect', listener: (client: PoolClient) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
}

export interface OwnPoolOptions {
  readonly connectionString: string;
  readonly maxConnections: number;
}

/** How long opening a connection may take, and how long a call may wait for a free one. */
const CONNECTION_TIMEOUT_MS = 10_000;

export function makePool({ connectionString, maxConnections }: OwnPoolOptions): Pool {
  return new Pool({
    connectionString,
    max: maxConnections,
    application_name: 'trunkline',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    pipeline: true,
    // Detects on idle connections that PostgreSQL's machine has died.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
}

/**
 * Ignores errors of a pool's new connections, which have no listener until a caller receives them. Otherwise, an error
 * that PostgreSQL sends in the same packet as its greeting would end the process.
 */
export function hearErrors(client: Pick<PoolClient, 'on'>): void {
  client.on('error', () => undefined);
}

/**
 * The sessions of connections, by pool. Deleted for a whole pool when PostgreSQL makes one of its connections unusable,
 * because its other connections may be unusable, too.
 */
const sessions = new WeakMap<PostgresPool, WeakMap<PoolClient, Session>>();

/**
 * Runs `work` on a connection of the pool. A connection that broke, or that PostgreSQL made unusable, is closed instead
 * of returned.
 */
export async function withClient<Result>(
  pool: PostgresPool,
  logger: Logger,
  work: (client: WatchedClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new ConnectionError(error);
  });
  let isBroken = false;
  // The pool does not listen while a connection is in use, and an error without a listener ends the process.
  const onError = (error: Error): void => {
    isBroken = true;
    logger.warn(
      { err: error },
      'a connection to Postgres broke and is replaced: if this repeats, check the server and the network',
    );
  };
  client.on('error', onError);
  let sent = 0;
  const query: Queryable['query'] = async (statement) => {
    sent += 1;
    try {
      return await client.query(statement);
    } catch (error) {
      if (isCondemning(error)) {
        isBroken = true;
        sessions.delete(pool);
      }
      if (isServerError(error)) throw error;
      // Without a response, as after a timeout, the state of the connection is unknown.
      isBroken = true;
      throw new ConnectionError(error);
    }
  };
  try {
    const known = sessions.get(pool)?.get(client);
    const session = known ?? (await throughLocks(() => readSession({ query }, CONNECTION_TIMEOUT_MS)));
    if (session.isOnReplica) {
      isBroken = true;
      throw new ReplicaError();
    }
    if (!known) sessions.set(pool, (sessions.get(pool) ?? new WeakMap()).set(client, session));
    return await work({
      isBroken: () => isBroken,
      isPipelined: client.pipeline === true,
      sent: () => sent,
      session,
      query,
    });
  } finally {
    client.removeListener('error', onError);
    client.release(isBroken);
  }
}

/**
 * Reads again, for CONNECTION_TIMEOUT_MS, what ran into a session's own limit for locks: an autovacuum locks catalogs
 * for moments.
 */
async function throughLocks<Result>(read: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + CONNECTION_TIMEOUT_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > end) throw error;
    }
  }
}

/** Thrown if there was no connection, or no response from PostgreSQL. The call may or may not have been carried out. */
class ConnectionError extends UnavailableError {
  override readonly name = 'ConnectionError';
  constructor(cause: unknown) {
    super(whyNoConnection(cause), { cause });
  }
}

function whyNoConnection(cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  const state = sqlState(cause) ?? '';
  const refused = `Postgres refused the connection: ${why}.`;
  if (state.startsWith('28'))
    return `${refused} Check the user name and the password in DATABASE_URL, and pg_hba.conf on the server.`;
  if (state === '3D000') return `${refused} Create the database, or correct its name in DATABASE_URL.`;
  const reason = reasonFor(state);
  if (reason !== null) return reason;
  if (isResponse(cause) || NO_AGREEMENT.test(why))
    return `${refused} Check DATABASE_URL and the log of the server.`;
  return `Postgres does not respond: ${why}. Check that it runs, can be reached and is not overloaded.`;
}

/** Messages of `pg` and of OpenSSL about a missing password, and about TLS. */
const NO_AGREEMENT = /^SASL|SSL|certificate/i;

/**
 * Thrown if PostgreSQL is a replica. After a failover, the address may still lead to the previous primary, whose data
 * may be old.
 */
class ReplicaError extends UnavailableError {
  override readonly name = 'ReplicaError';
  constructor() {
    super(
      'The PostgreSQL server is a replica, which is read-only: connect to the primary. In a failover it is asked again until the address leads there.',
    );
  }
}

export interface WatchedClient extends Queryable {
  readonly session: Session;
  /** Whether a statement may be sent before the results of earlier ones have come. */
  readonly isPipelined: boolean;
  isBroken(): boolean;
  /** The number of statements that were sent. */
  sent(): number;
}

/**
 * Whether PostgreSQL sent the error in response to a statement, and did not end the connection with it. The severity is
 * not enough to tell, because `pg` has it only in the language of the server; poolers write it in English.
 */
function isServerError(error: unknown): boolean {
  return isResponse(error) && !/^(FATAL|PANIC)$/.test(error.severity) && !ENDED.test(sqlState(error) ?? '');
}

/**
 * The connection was lost (08), or its server ends or has ended it (57P), as after a timeout of its transaction (25P03,
 * 25P04).
 */
const ENDED = /^(08|57P|25P0[34])/;

function isResponse(error: unknown): error is Error & { readonly severity: string } {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string';
}

/**
 * Whether PostgreSQL makes the connection unusable with the error: it has ended, its server is read-only (25006), or
 * lacks support (0A000) because a replica was asked to write or the tables of a prepared statement were changed.
 */
function isCondemning(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return isResponse(error) && (ENDED.test(state) || /^(25006|0A000)/.test(state));
}

/**
 * The `code` of the error: a SQLSTATE if PostgreSQL sent the error, otherwise a code such as ECONNRESET; undefined if
 * the error has no code.
 */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a value to be written is to blame, rather than the server or the connection to it. */
export function isFaultOfValue(error: unknown): boolean {
  const state = sqlState(error);
  // Classes 22, data exception, and 23, integrity constraint violation.
  return state === undefined ? !(error instanceof ConnectionError) : /^2[23]/.test(state);
}

/** Whether another transaction held a lock until `lock_timeout` had passed. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}
