import type { PoolClient } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { NOW } from '@trunkline/storage-contract/examples';
import { must, until } from '@trunkline/test-support';
import { openStorage, temporarySchema } from './support/open-storage.ts';

const DAY_MS = 86_400_000;

it('adding days to one table keeps no other table locked, which could deadlock with a writer of both', async () => {
  const schema = await temporarySchema();
  const { maintain } = await openStorage(schema, { notifications: false });
  const writer = await schema.pool.connect();
  onTestFinished(() => writer.release(true));
  await writer.query(`SET search_path = ${schema.name}`);
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE attempts_default IN ROW EXCLUSIVE MODE');

  let isOver = false;
  const maintained = must(maintain)(NOW + 30 * DAY_MS)?.finally(() => (isOver = true));
  // Maintenance soon gives up, so a slow machine may not see it wait.
  await until('maintenance waits for the table', async () => isOver || isAwaited(writer, 'attempts_default'));
  await writer.query('SET LOCAL lock_timeout = 1');
  const { rows } = await writer.query('SELECT 1 FROM events_default');
  expect(rows).toEqual([]);
  await writer.query('COMMIT');
  await maintained;
});

async function isAwaited(client: PoolClient, table: string): Promise<boolean> {
  const statement = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
  return (await client.query(statement, [table])).rows.length > 0;
}
