import { Pool } from 'pg';
import type { Logger } from '@trunkline/core';
import type { Queryable } from './queryable.ts';

/** A connection of a pool, as `pg` has it. */
export interface PoolClient extends Queryable {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'notification', listener: (message: PoolNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** With true the connection is closed instead of going back. */
  release(destroy?: boolean): void;
}

export interface PoolNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PoolClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
}

/** A pool that is open, with what closes it: the app's own stays open. */
export interface OpenPool {
  readonly pool: PostgresPool;
  close(): Promise<void>;
}

/** How long a connection may take to be made, and a call may wait for one that is free. */
const CONNECTION_TIMEOUT_MS = 10_000;

export function makePool(connectionString: string, max: number): PostgresPool & { end(): Promise<void> } {
  return new Pool({
    connectionString,
    max,
    application_name: 'trunkline',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    // So that the death of the server's machine is noticed on connections that nothing is asked of.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
}

/** Takes a connection out for `work`. One that broke meanwhile is closed instead of going back. */
export async function withClient<Result>(
  pool: PostgresPool,
  logger: Logger,
  work: (client: WatchedClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  // Nobody else listens while it is out, and an error without a listener ends the process.
  const onError = (error: Error): void => {
    isBroken = true;
    logger.warn({ err: error }, 'a connection to Postgres broke');
  };
  client.on('error', onError);
  try {
    return await work({
      isBroken: () => isBroken,
      async query(statement) {
        try {
          return await client.query(statement);
        } catch (error) {
          // Whatever is not the server's own answer leaves the connection in an unknown state; so does a timeout.
          if (!isServerError(error)) isBroken = true;
          throw error;
        }
      },
    });
  } finally {
    client.removeListener('error', onError);
    client.release(isBroken);
  }
}

export interface WatchedClient extends Queryable {
  isBroken(): boolean;
}

/** An error that the server answered a statement with, on a connection that goes on. */
function isServerError(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}

/** The server's code of what went wrong (SQLSTATE); undefined where it did not come from there. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
