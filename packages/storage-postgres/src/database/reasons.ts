export const OTHERS_CAME_FIRST =
  'Other transactions on the PostgreSQL server came first again and again: look for some that are long or hold locks.';

/**
 * Reasons by SQLSTATE or its class (https://www.postgresql.org/docs/current/errcodes-appendix.html); the first match
 * counts.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^53100/, 'The disk of the PostgreSQL server is full: make room on it.'],
  [
    /^53300/,
    'The PostgreSQL server has no connection left: raise max_connections, or let each process take fewer.',
  ],
  [/^53/, 'The PostgreSQL server lacks resources: see the cause.'],
  [/^08/, 'The connection to the PostgreSQL server failed: check that it runs and can be reached.'],
  [
    /^57014/,
    'The PostgreSQL server did not finish a statement in time: look for what it is busy with or waits for.',
  ],
  [/^57P/, 'The PostgreSQL server is ending or starting: it is asked again until it accepts connections.'],
  [/^58/, 'The PostgreSQL server cannot use its files: see the cause.'],
  [
    /^25P0[34]/,
    'The PostgreSQL server ended a connection because its transaction took too long: raise idle_in_transaction_session_timeout or transaction_timeout, or look for what keeps the server or this machine busy.',
  ],
  [/^25006/, 'The PostgreSQL server is read-only, as a replica is: connect to the primary.'],
  [
    /^0A000/,
    'The PostgreSQL server refused a statement that it supports otherwise, as a replica does, and after an upgrade of its tables: another connection is tried.',
  ],
  [
    /^(42P05|26000)/,
    'A pooler in transaction mode, such as PgBouncer, mixes up prepared statements: set DATABASE_POOL_MODE to transaction (preparedStatements and notifications to false).',
  ],
  [
    /^(42P01|3F000)/,
    "Trunkline's tables are gone from the PostgreSQL database, which was emptied or exchanged: bring the database back; to begin with an empty one, start all processes again.",
  ],
  [/^55P03/, 'A row in PostgreSQL stayed locked by another transaction: keep such transactions short.'],
  [/^40/, OTHERS_CAME_FIRST],
];

/** Returns a sentence on why PostgreSQL cannot do something now that it may do later; null for any other code. */
export function reasonFor(state: string): string | null {
  return REASONS.find(([states]) => states.test(state))?.[1] ?? null;
}
