import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { TestSchema } from './test-schema.ts';

/** Notes the codes of PostgreSQL's errors, including those that the storage recovers from silently. */
export function watchedPool({ url }: TestSchema, errors: string[]): Pool {
  const pool = new Pool({ connectionString: url, max: 5 });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: object) => Promise<unknown>; // as the storage calls it
    Reflect.set(client, 'query', async (statement: object) =>
      query(statement).catch((error: unknown) => {
        errors.push(String(Reflect.get(Object(error), 'code')));
        throw error;
      }),
    );
  });
  onTestFinished(() => pool.end());
  return pool;
}
