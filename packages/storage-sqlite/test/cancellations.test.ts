import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Endpoint, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import {
  claimAt,
  anEndpoint,
  anEvent,
  aWorkspace,
  NOW,
  succeeded,
} from '@trunkline/storage-contract/examples';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

// Tests how a cancellation is stored until its deliveries are written. The contract tests its effects.

it('a cancellation whose deliveries are all under claims is not looked at again before a claim ends', async () => {
  const { storage, endpoint, rows, version } = await fixture();
  await storage.deliveries.enqueue(endpoint.id, anEvent({ id: endpoint.workspaceId }));
  const { claimed } = await storage.deliveries.claim(claimAt(NOW));
  await disable(storage, endpoint);
  expect(await storage.deliveries.sweepClosed(10)).toBe(0);
  expect(rows('closings')).toBe(1);

  const before = version();
  expect(await storage.deliveries.sweepClosed(10)).toBe(0);
  expect(version()).toBe(before);

  await storage.deliveries.complete([succeeded(must(claimed[0]), NOW)], NOW);
  expect(await storage.deliveries.sweepClosed(10)).toBe(0);
  expect(rows('closings')).toBe(0);
});

it('a cancellation at an endpoint without open deliveries leaves nothing to sweep', async () => {
  const { storage, endpoint, rows } = await fixture();
  await disable(storage, endpoint);
  expect(rows('closings')).toBe(0);
});

it('the lane of a deleted endpoint stays until nothing of it is open', async () => {
  const { storage, endpoint, rows } = await fixture();
  await storage.deliveries.enqueue(endpoint.id, anEvent({ id: endpoint.workspaceId }));
  await storage.deliveries.enqueue(endpoint.id, anEvent({ id: endpoint.workspaceId }));
  await storage.deliveries.claim(claimAt(NOW, { limit: 1 }));
  await storage.endpoints.delete(endpoint.workspaceId, endpoint.id, NOW);
  expect(await storage.deliveries.sweepClosed(10)).toBe(1);
  expect(rows('lanes')).toBe(1);
  const later = NOW + 60_000;
  expect((await storage.deliveries.claim(claimAt(later))).claimed).toEqual([]);
  expect(await storage.deliveries.sweepClosed(10)).toBe(1);
  expect([rows('lanes'), rows('closings'), rows('due'), rows('claims')]).toEqual([0, 0, 0, 0]);
});

it('deliveries that were claimed when their endpoint was closed can be deleted as history', async () => {
  const { storage, endpoint, rows } = await fixture();
  await storage.deliveries.enqueue(endpoint.id, anEvent({ id: endpoint.workspaceId }));
  await storage.deliveries.claim(claimAt(NOW));
  await storage.endpoints.delete(endpoint.workspaceId, endpoint.id, NOW);
  expect(await storage.deliveries.sweepClosed(10)).toBe(0);
  // Deletes the delivery, its event and the URL of its endpoint.
  expect(await storage.retention.deleteHistory(NOW + 1, 10)).toBe(3);
  expect(await storage.deliveries.sweepClosed(10)).toBe(0);
  expect([rows('lanes'), rows('closings'), rows('due'), rows('claims')]).toEqual([0, 0, 0, 0]);
});

it('lists of deliveries stay right when an endpoint was closed very often before a sweep', async () => {
  const { storage, endpoint } = await fixture();
  const { id, workspaceId } = endpoint;
  const ended: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    const delivery = must(await storage.deliveries.enqueue(id, anEvent({ id: workspaceId }, NOW + count)));
    ended.unshift(delivery.id);
    await disable(storage, endpoint);
    await enable(storage, endpoint);
  }
  const open = must(await storage.deliveries.enqueue(id, anEvent({ id: workspaceId }, NOW + 100)));
  const list = async (status: 'failed' | 'pending') => {
    const page = await storage.deliveries.list(workspaceId, id, { status }, { from: null, limit: 50 }, 0);
    return { ...page, rows: page.rows.map((row) => row.id) };
  };
  expect(await list('failed')).toEqual({ rows: ended.slice(0, 50), hasOlder: true, hasNewer: false });
  expect(await list('pending')).toEqual({ rows: [open.id], hasOlder: false, hasNewer: false });
});

interface Fixture {
  readonly storage: Storage;
  readonly endpoint: Endpoint;
  readonly rows: (table: string) => number;
  /** A number that changes with each commit of the storage. */
  readonly version: () => number;
}

async function fixture(): Promise<Fixture> {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  const endpoint = anEndpoint(workspace);
  await storage.workspaces.insert(workspace);
  await storage.endpoints.insert(endpoint, 5);
  const connection = connectTo(path);
  const number = (sql: string): number => Number(Object.values(must(connection.prepare(sql).get()))[0]);
  return {
    storage,
    endpoint,
    rows: (table) => number(`SELECT count(*) FROM ${table}`),
    version: () => number('PRAGMA data_version'),
  };
}

async function disable({ endpoints }: Storage, { workspaceId, id }: Endpoint): Promise<void> {
  const endpoint = must(await endpoints.find(workspaceId, id));
  await endpoints.write({ endpoint: { ...endpoint, status: 'disabled' }, close: 'ENDPOINT_DISABLED' });
}

async function enable({ endpoints }: Storage, { workspaceId, id }: Endpoint): Promise<void> {
  const endpoint = must(await endpoints.find(workspaceId, id));
  await endpoints.write({ endpoint: { ...endpoint, status: 'enabled' } });
}
