import { expect, it } from 'vitest';
import { NOW } from '@trunkline/storage-contract/examples';
import { claim, claimAt, enqueueOne, storeLane } from '@trunkline/storage-contract/fixtures';
import { eventually, must } from '@trunkline/test-support';
import { openNamed, waitingFor } from './support/named-storage.ts';
import { temporarySchema } from './support/open-storage.ts';

it('a suspension that waits for the deletion of an endpoint leaves no claim there unfinished', async () => {
  const schema = await temporarySchema();
  const { storage, name } = await openNamed(schema);
  const { workspace, endpoint } = await storeLane(storage);
  await enqueueOne(storage, endpoint);
  expect(await claim(storage, NOW)).toHaveLength(1);

  const other = await schema.pool.connect();
  await other.query(`BEGIN; SELECT 1 FROM ${schema.name}.lanes FOR UPDATE`);
  const deleting = storage.endpoints.delete(workspace.id, endpoint.id, NOW);
  await eventually(async () => expect(await waitingFor(schema, name)).toBe(1));
  const suspending = storage.workspaces.update(workspace.id, { suspendedAt: NOW });
  await eventually(async () => expect(await waitingFor(schema, name)).toBe(2));
  await other.query('COMMIT');
  other.release();
  expect(await deleting).toBe(true);
  expect(await suspending).toMatchObject({ suspendedAt: NOW });

  // The process that claimed the delivery is gone, so the delivery is taken back when the claim expires.
  const { nextAt } = await storage.deliveries.claim(claimAt(NOW));
  expect(must(nextAt)).toBeGreaterThan(NOW);
  expect(await storage.deliveries.claim(claimAt(must(nextAt)))).toEqual({ claimed: [], nextAt: null });
});
