import { basename } from 'node:path';
import { Pool } from 'pg';
import { startPostgres } from '@trunkline/test-postgres';

/** Passes the URL of PostgreSQL to the processes of a run. */
const VARIABLE = 'BENCH_POSTGRES';

/**
 * Provides a PostgreSQL from npm for this process and its children, with its default settings, so that each commit
 * waits for the disk, and with `settings`. `DATABASE_URL` names another server, which must already have these settings.
 */
export async function providePostgres(settings: readonly string[] = []): Promise<{ stop(): Promise<void> }> {
  const given = process.env['DATABASE_URL'];
  const server =
    given === undefined ? await startPostgres({ settings }) : { url: given, stop: async () => {} };
  process.env[VARIABLE] = server.url;
  return server;
}

export function postgresUrl(): string {
  const url = process.env[VARIABLE];
  if (url === undefined) throw new Error('No PostgreSQL was provided.');
  return url;
}

/** The schema that stands for a directory, in which SQLite keeps its data. */
export function schemaOf(directory: string): string {
  return basename(directory).toLowerCase().replaceAll('-', '_');
}

/** Also checkpoints, so that the server is idle during the next measurement. */
export async function dropSchema(directory: string): Promise<void> {
  const pool = new Pool({ connectionString: postgresUrl(), max: 1 });
  await pool.query(`DROP SCHEMA IF EXISTS ${schemaOf(directory)} CASCADE`);
  await pool.query('CHECKPOINT');
  await pool.end();
}
