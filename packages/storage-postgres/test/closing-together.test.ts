import type { PoolClient } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { anEvent } from '@trunkline/storage-contract/examples';
import { disable, readDelivery, storeLane } from '@trunkline/storage-contract/fixtures';
import { must, until } from '@trunkline/test-support';
import { openStorage, temporarySchema } from './support/open-storage.ts';

it('an endpoint that is disabled while an event for it is being stored cancels that delivery, too', async () => {
  const schema = await temporarySchema();
  const storage = await openStorage(schema, { notifications: false });
  const { workspace, endpoint } = await storeLane(storage);
  const blocker = await schema.pool.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query(`SET search_path = ${schema.name}`);
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE events IN SHARE MODE');

  const queued = storage.deliveries.enqueue(endpoint.id, anEvent(workspace));
  await until('the event waits to be stored', () => isAwaited(blocker, "relation = 'events'::regclass"));
  let isDisabled = false;
  const disabling = disable(storage, endpoint).finally(() => (isDisabled = true));
  await until(
    'disabling is over, or waits for the event',
    async () => isDisabled || isAwaited(blocker, "locktype IN ('tuple', 'transactionid')"),
  );
  await blocker.query('COMMIT');

  await disabling;
  const delivery = must(await queued);
  expect(await readDelivery(storage, delivery)).toMatchObject({ status: 'failed' });
});

async function isAwaited(client: PoolClient, what: string): Promise<boolean> {
  return (await client.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND ${what}`)).rows.length > 0;
}
