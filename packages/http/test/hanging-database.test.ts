import { expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import type { Storage } from '@trunkline/core';
import { memoryMediaStore } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { idOf, startService } from './service.ts';

const never = (): Promise<never> => new Promise(() => {});
const WEBHOOK = { url: 'https://hooks.example.com/all', events: ['message.sent'] };
/** Longer than the timeout of a write, the slowest of these calls. */
const GIVEN_UP_MS = 35_000;

async function startOnMemory() {
  const storage = sqliteStorage({ path: ':memory:' });
  const media = memoryMediaStore();
  const service = await startService({ storage, media, logger: silentLogger });
  return { storage, media, service, ...(await service.newWorkspace()) };
}

it.each<[string, string, unknown, (storage: Storage) => void]>([
  ['GET', '/instances', undefined, (storage) => (storage.instances.list = never)],
  ['GET', '/api-key', undefined, (storage) => (storage.apiKeys.findByHash = never)],
  ['POST', '/instances', {}, (storage) => (storage.instances.insert = never)],
])('%s %s gets 503 and Retry-After if a call of the storage hangs', async (method, path, json, hang) => {
  const { storage, service, call } = await startOnMemory();
  hang(storage);
  const seen = await service.during(call(method, path, { json }), GIVEN_UP_MS);
  expect(seen.status).toBe(503);
  expect(seen.headers.get('Retry-After')).toBe('5');
  expect(seen.json.error?.code).toBe('INTERNAL_ERROR');
});

it('a message with a file gets 503 if the media store hangs', async () => {
  const { media, service, call } = await startOnMemory();
  const instance = await service.connected(call);
  media.put = never;
  const form = new FormData();
  const file = new File(['%PDF-1.7'], 'a.pdf', { type: 'application/pdf' });
  const fields = { instance, to: '34600000001', type: 'document', file };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const seen = await service.during(call('POST', '/messages', { body: form }), GIVEN_UP_MS);
  expect(seen.status).toBe(503);
});

it('a request gets 503 within a minute if its calls are slow, one after another', async () => {
  const { storage, service, call } = await startOnMemory();
  const slow =
    <Args extends unknown[], Value>(work: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      await new Promise<void>((resolve) => service.clock.setTimer(14_000, resolve));
      return work(...args);
    };
  storage.apiKeys.findByHash = slow(storage.apiKeys.findByHash.bind(storage.apiKeys));
  storage.endpoints.find = slow(storage.endpoints.find.bind(storage.endpoints));
  storage.endpoints.write = slow(async () => 'stale' as const);
  storage.workspaces.find = slow(storage.workspaces.find.bind(storage.workspaces));
  const made = await service.during(call('POST', '/webhooks', { json: WEBHOOK }), 60_000);
  const changed = call('PATCH', `/webhooks/${idOf(made.json)}`, { json: { description: 'new' } });
  const seen = await service.during(changed, 50_000);
  expect([seen.status, seen.headers.get('Retry-After')]).toEqual([503, '5']);
});

it('an operation that waits for a number gets 503 if the database hangs meanwhile', async () => {
  const { storage, service, call } = await startOnMemory();
  const id = await service.connected(call);
  const disconnected = call('POST', `/instances/${id}/disconnect`);
  storage.instances.find = never;
  const seen = await service.during(disconnected, GIVEN_UP_MS);
  expect(seen.status).toBe(503);
});
