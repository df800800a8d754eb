import { describe, expect } from 'vitest';
import type { Endpoint, EndpointHealth, EndpointWrite } from '@trunkline/core/spi/storage';
import { only } from '@trunkline/test-support';
import { it } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aNotification, anEndpoint, NOW } from './examples.ts';
import {
  claim,
  disable,
  enqueueAt,
  enqueueOne,
  exhausted,
  failed,
  finish,
  readDelivery,
  readEndpoint,
  storeEndpoint,
  storeLane,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function endpointContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('endpoints', () => {
    it('are found as they were inserted, by their own workspace', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      const older = await storeEndpoint(storage, workspace, { createdAt: NOW - 1 });
      const full = await storeEndpoint(storage, workspace, {
        description: 'Ünser CRM',
        events: ['instance.error', 'message.read'],
        status: 'disabled',
        disabledAt: NOW,
        disabledReason: 'auto_no_delivery_72h',
        traceContext: true,
        health: {
          lastDelivery: { id: 'whd_1', status: 'exhausted', responseStatus: 500, at: NOW },
          lastSuccessAt: NOW - 9,
          failingSince: NOW - 8,
          exhausted: true,
          warnedAt: NOW - 7,
        },
        version: 4,
      });
      expect(await storage.endpoints.find(workspace.id, full.id)).toEqual(full);
      expect(await storage.endpoints.list(workspace.id)).toEqual([full, older]);
      expect(await storage.endpoints.find(other.id, full.id)).toBeNull();
      expect(await storage.endpoints.list(other.id)).toEqual([]);
    });

    it('are inserted up to the limit of their workspace, concurrently too', async () => {
      const storage = await open();
      const [workspace, other] = [await storeWorkspace(storage), await storeWorkspace(storage)];
      await storeEndpoint(storage, other);
      const inserts = Array.from({ length: 20 }, () => storage.endpoints.insert(anEndpoint(workspace), 5));
      const results = await Promise.all(inserts);
      expect(results.filter((result) => result === 'inserted')).toHaveLength(5);
      expect(await storage.endpoints.list(workspace.id)).toHaveLength(5);
    });

    it('are deleted by their own workspace', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      const delivery = await enqueueOne(storage, endpoint);
      expect(await storage.endpoints.delete(other.id, endpoint.id, NOW)).toBe(false);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await storage.endpoints.delete(workspace.id, endpoint.id, NOW)).toBe(true);
      expect(await storage.endpoints.find(workspace.id, endpoint.id)).toBeNull();
      expect(await storage.endpoints.list(workspace.id)).toEqual([]);
      expect(await storage.endpoints.delete(workspace.id, endpoint.id, NOW)).toBe(false);
    });
  });

  describe('a write of an endpoint', () => {
    it('raises the version and does not touch the health', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const [delivery] = await enqueueAt(storage, endpoint, NOW);
      if (delivery) await finish(storage, delivery, failed);
      const { health } = await readEndpoint(storage, endpoint);
      expect(health.failingSince).toBe(NOW);

      const changed = {
        ...endpoint,
        url: 'https://example.com/new',
        description: 'New',
        events: ['message.read'] as const,
        sealedSecret: 'other',
        secretHint: '…wxyz',
        updatedAt: NOW + 1,
      };
      expect(await storage.endpoints.write({ endpoint: changed })).toBe('written');
      expect(await readEndpoint(storage, endpoint)).toEqual({ ...changed, health, version: 2 });
    });

    it('enables no more endpoints than its plan allows, even if many are enabled concurrently', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const neighbour = await storeWorkspace(storage);
      await storeEndpoint(storage, neighbour);
      await storeEndpoint(storage, workspace);
      const disabled: Endpoint[] = [];
      for (let index = 0; index < 4; index += 1) {
        disabled.push(await storeEndpoint(storage, workspace, { status: 'disabled' }));
      }
      const enabling = (endpoint: Endpoint): EndpointWrite => ({
        endpoint: { ...endpoint, status: 'enabled' },
        enabledLimit: 3,
      });
      const results = await Promise.all(disabled.map((one) => storage.endpoints.write(enabling(one))));
      expect(results.toSorted()).toEqual(['limit_reached', 'limit_reached', 'written', 'written']);
      const stored = await storage.endpoints.list(workspace.id);
      expect(stored.filter(({ status }) => status === 'enabled')).toHaveLength(3);
    });

    it('is stale when the settings have changed, and then writes nothing', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      await storage.endpoints.write({ endpoint: { ...endpoint, description: 'First' } });
      const notification = aNotification(endpoint);
      const late = {
        endpoint: { ...endpoint, description: 'Second' },
        close: 'ENDPOINT_DISABLED',
        notification,
      } as const;
      expect(await storage.endpoints.write(late)).toBe('stale');
      expect(await readEndpoint(storage, endpoint)).toEqual({
        ...endpoint,
        description: 'First',
        version: 2,
      });
      expect(await storage.endpoints.claimNotifications({ now: NOW, leaseMs: 1, limit: 10 })).toEqual([]);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await claim(storage, NOW)).toHaveLength(1);
    });

    it('passes one of those made concurrently on one version', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const results = await Promise.all(
        Array.from({ length: 10 }, () => storage.endpoints.write({ endpoint })),
      );
      expect(results.filter((result) => result === 'written')).toHaveLength(1);
    });

    it('is stale for an endpoint that is gone or of another workspace', async () => {
      const storage = await open();
      const { workspace, endpoint } = await storeLane(storage);
      const other = await storeWorkspace(storage);
      expect(await storage.endpoints.write({ endpoint: anEndpoint(workspace) })).toBe('stale');
      expect(await storage.endpoints.write({ endpoint: { ...endpoint, workspaceId: other.id } })).toBe(
        'stale',
      );
      await storage.endpoints.delete(workspace.id, endpoint.id, NOW);
      expect(await storage.endpoints.write({ endpoint })).toBe('stale');
      expect(await storage.endpoints.find(workspace.id, endpoint.id)).toBeNull();
    });

    it('is not stale because of attempts: they change only the health', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await finish(storage, await enqueueOne(storage, endpoint), failed);
      const { version, updatedAt } = await readEndpoint(storage, endpoint);
      expect({ version, updatedAt }).toEqual({ version: endpoint.version, updatedAt: endpoint.updatedAt });
      expect(await storage.endpoints.write({ endpoint })).toBe('written');
    });

    it('writes the failure record if it has one', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      await finish(storage, await enqueueOne(storage, endpoint), exhausted);
      const decided = await readEndpoint(storage, endpoint);
      const warned = { ...decided, health: { ...decided.health, warnedAt: NOW + 5 } };
      const notification = aNotification(endpoint);
      expect(await storage.endpoints.write({ endpoint: warned, health: decided.health, notification })).toBe(
        'written',
      );
      expect(await readEndpoint(storage, endpoint)).toEqual({ ...warned, version: 2 });
      expect(await storage.endpoints.claimNotifications({ now: NOW, leaseMs: 1, limit: 10 })).toEqual([
        notification,
      ]);
    });

    it('keeps a success that was recorded after the decision to enable', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const delivery = await enqueueOne(storage, endpoint);
      const claimed = only(await claim(storage, NOW));
      await disable(storage, endpoint);
      const decided = await readEndpoint(storage, endpoint);
      expect(await storage.deliveries.complete([succeeded(claimed, NOW)], NOW)).toBe(1);
      const { health } = await readEndpoint(storage, endpoint);
      expect(health).toMatchObject({
        lastSuccessAt: NOW,
        lastDelivery: { id: delivery.id, status: 'failed' },
      });

      const enabled = { ...decided, status: 'enabled', disabledAt: null, disabledReason: null } as const;
      expect(await storage.endpoints.write({ endpoint: enabled, health: decided.health })).toBe('written');
      expect(await readEndpoint(storage, endpoint)).toEqual({
        ...enabled,
        health,
        version: decided.version + 1,
      });
    });

    it.each<[string, Partial<EndpointHealth>]>([
      ['it fails since another time', { failingSince: NOW - 1 }],
      ['it does not fail any more', { failingSince: null }],
      ['it was warned', { warnedAt: NOW - 1 }],
    ])('is stale where it writes the health and %s', async (_, stored) => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const health = {
        lastDelivery: null,
        lastSuccessAt: null,
        failingSince: NOW,
        exhausted: true,
        warnedAt: null,
      };
      const endpoint = await storeEndpoint(storage, workspace, { health: { ...health, ...stored } });
      const delivery = await enqueueOne(storage, endpoint);
      const write = {
        endpoint: { ...endpoint, status: 'disabled', health: { ...health, warnedAt: NOW } },
        health: { failingSince: NOW, warnedAt: null },
        close: 'ENDPOINT_DISABLED',
        notification: aNotification(endpoint),
      } as const;
      expect(await storage.endpoints.write(write)).toBe('stale');
      expect(await readEndpoint(storage, endpoint)).toEqual(endpoint);
      expect(await readDelivery(storage, delivery)).toEqual(delivery);
      expect(await storage.endpoints.claimNotifications({ now: NOW, leaseMs: 1, limit: 10 })).toEqual([]);
    });
  });

  describe('the list of failing endpoints', () => {
    it('holds enabled ones that fail for long enough and exhausted a delivery', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const failing = {
        lastDelivery: null,
        lastSuccessAt: null,
        failingSince: NOW,
        exhausted: true,
        warnedAt: null,
      };
      const wanted = await storeEndpoint(storage, workspace, { health: failing });
      await storeEndpoint(storage, workspace, { health: { ...failing, failingSince: NOW + 1 } });
      await storeEndpoint(storage, workspace, { health: { ...failing, failingSince: null } });
      await storeEndpoint(storage, workspace, { health: { ...failing, exhausted: false } });
      await storeEndpoint(storage, workspace, { health: failing, status: 'disabled' });
      const warned = await storeEndpoint(storage, await storeWorkspace(storage), {
        health: { ...failing, failingSince: NOW - 5, warnedAt: NOW },
      });
      const query = { before: NOW, after: null, limit: 10 };
      expect(await storage.endpoints.listFailing(query)).toEqual([wanted, warned]);
      expect(await storage.endpoints.listFailing({ ...query, limit: 1 })).toEqual([wanted]);
      expect(await storage.endpoints.listFailing({ ...query, after: wanted.id })).toEqual([warned]);
      expect(await storage.endpoints.listFailing({ ...query, after: warned.id })).toEqual([]);
    });

    it('follows what attempts came to', async () => {
      const storage = await open();
      const { endpoint } = await storeLane(storage);
      const query = { before: NOW + 10, after: null, limit: 10 };
      const [first, second] = await enqueueAt(storage, endpoint, NOW, NOW);
      if (first) await finish(storage, first, failed);
      expect(await storage.endpoints.listFailing(query)).toEqual([]);
      if (second) await finish(storage, second, exhausted, NOW + 30_000);
      expect(await storage.endpoints.listFailing(query)).toEqual([await readEndpoint(storage, endpoint)]);
    });
  });
}
