import type { Logger } from '@trunkline/core';
import { postgresRateLimitStore } from '@trunkline/http';
import type { RateLimitOptions } from '@trunkline/http';
import type { Settings } from '../settings/settings.ts';

/** The maximum number of connections for counting. A request that waits 1 s for one is counted in memory. */
const CONNECTIONS = 2;
const CONNECTION_TIMEOUT_MS = 1_000;

export interface RateLimit {
  /** The guard's `rateLimit` option; false for no limit. */
  readonly options: RateLimitOptions | false;
  close(): Promise<void>;
}

/**
 * Processes on one PostgreSQL count together; on SQLite, each process counts separately. The storage's schema must
 * exist.
 */
export async function openRateLimit(
  { database, rateLimit: requestsPerMinute, roles }: Pick<Settings, 'database' | 'rateLimit' | 'roles'>,
  logger: Logger,
): Promise<RateLimit> {
  if (requestsPerMinute === 0) return { options: false, close: async () => {} };
  if (database.kind === 'sqlite' || !roles.api)
    return { options: { requestsPerMinute }, close: async () => {} };
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString: database.url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'trunkline rate limit',
  });
  pool.on('error', (error) =>
    logger.warn(
      { err: error },
      'the rate limit has lost a connection to Postgres: another one takes its place; if this repeats, check the server and the network',
    ),
  );
  const table = { schema: 'trunkline', table: 'rate_limits' };
  return {
    options: { requestsPerMinute, store: postgresRateLimitStore(pool, { requestsPerMinute, ...table }) },
    close: () => pool.end(),
  };
}
