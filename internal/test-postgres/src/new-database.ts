import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { sharedPostgres } from './shared-postgres.ts';

export interface TestDatabase {
  readonly url: string;
  /** Terminates all connections to the database. Returns how many there were. */
  endConnections(): Promise<number>;
}

/**
 * Creates a separate database in the tests' Postgres, for a program that takes only a URL. The database is dropped
 * after the test, even if connections to it are open.
 */
export async function newDatabase(
  /** Options that follow the name in CREATE DATABASE. */
  options = '',
): Promise<TestDatabase> {
  const url = new URL(await sharedPostgres());
  const server = url.href;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(server, `CREATE DATABASE ${name} ${options}`);
  onTestFinished(async () => void (await run(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  url.pathname = name;
  return {
    url: url.href,
    endConnections: () =>
      run(server, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]),
  };
}

/** Returns the number of rows. */
async function run(url: string, statement: string, values: readonly string[] = []): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
