import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { Storage } from '@trunkline/core';
import { openStorage } from './open-storage.ts';
import type { TestSchema } from './test-schema.ts';

/** Opens a storage whose connections have `name` as their `application_name`. */
export async function openNamed(
  schema: TestSchema,
): Promise<{ readonly storage: Storage; readonly name: string }> {
  const pool = new Pool({ connectionString: schema.url, max: 4, application_name: schema.name });
  onTestFinished(() => pool.end());
  return { storage: await openStorage(schema, { pool }), name: schema.name };
}

export async function endConnections({ pool }: TestSchema, name: string): Promise<number> {
  const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
  return (await pool.query(sql, [name])).rowCount ?? 0;
}

/** The number of connections named `name` that wait for a lock. */
export async function waitingFor({ pool }: TestSchema, name: string): Promise<number> {
  const sql =
    "SELECT count(*)::integer AS waiting FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
  return (await pool.query<{ waiting: number }>(sql, [name])).rows[0]?.waiting ?? 0;
}
