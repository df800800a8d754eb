import { createRequire } from 'node:module';
import { PGlite } from '@electric-sql/pglite';
import Keyv from 'keyv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyvStore, memoryStore, type EventStore, type KeyvLike } from '@trunkline/receiver';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { importProgram, readmeFunction } from './support/readme.ts';

const day = 24 * 60 * 60;
const claim = (token: string, leaseSeconds = 60): Parameters<EventStore['claim']>[1] => ({
  token,
  leaseSeconds,
});

type Start = () => Promise<{ store: EventStore; stop?: () => Promise<unknown> }>;

const STORES: readonly (readonly [name: string, start: Start])[] = [
  ['memoryStore', async () => ({ store: memoryStore() })],
  ['keyvStore', async () => ({ store: keyvStore(new Keyv()) })],
  ['redisStore of the README', startRedis],
  // PostgreSQL in WebAssembly takes more CPU to start than the other stores together.
  ...(isLongForm ? [['postgresStore of the README', startPostgres] as const] : []),
];

describe.each(STORES)('%s', (_name, start) => {
  let store: EventStore;
  let stop: (() => Promise<unknown>) | undefined;
  // Start each store once, because PostgreSQL starts slowly.
  beforeAll(async () => ({ store, stop } = { stop: undefined, ...(await start()) }));
  afterAll(async () => stop?.());

  it('gives an event to one claim, until it is done', async () => {
    expect(await store.claim('evt_1', claim('a'))).toBe('claimed');
    expect(await store.claim('evt_1', claim('b'))).toBe('in_progress');
    expect(await store.claim('evt_other', claim('b'))).toBe('claimed');
    await store.markDone('evt_1', 30 * day);
    expect(await store.claim('evt_1', claim('c'))).toBe('done');
  });

  it('gives an event to one of many concurrent claims', async () => {
    const tokens = Array.from({ length: 20 }, (_, index) => `token-${index}`);
    const results = await Promise.all(tokens.map((token) => store.claim('evt_2', claim(token))));
    expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
    expect(results.filter((result) => result === 'in_progress')).toHaveLength(19);
  });

  it('releases a claim for its holder only', async () => {
    await store.claim('evt_3', claim('a'));
    await store.release('evt_3', 'b');
    expect(await store.claim('evt_3', claim('b'))).toBe('in_progress');
    await store.release('evt_3', 'a');
    expect(await store.claim('evt_3', claim('b'))).toBe('claimed');
  });

  it('never releases a completed event', async () => {
    await store.claim('evt_4', claim('a'));
    await store.markDone('evt_4', 30 * day);
    await store.release('evt_4', 'a');
    expect(await store.claim('evt_4', claim('b'))).toBe('done');
  });

  it('gives an event with an expired lease to another claim, and then not back to the first', async () => {
    expect(await store.claim('evt_5', claim('a', 0.05))).toBe('claimed');
    await eventually(async () => expect(await store.claim('evt_5', claim('b'))).toBe('claimed'));
    await store.release('evt_5', 'a');
    expect(await store.claim('evt_5', claim('c'))).toBe('in_progress');
  });

  it('marks an event as done even after its lease expired', async () => {
    await store.claim('evt_6', claim('a', 0.05));
    await eventually(async () => expect(await store.claim('evt_6', claim('b'))).toBe('claimed'));
    await store.markDone('evt_6', 30 * day);
    expect(await store.claim('evt_6', claim('c'))).toBe('done');
  });

  it('forgets a completed event after its time', async () => {
    await store.markDone('evt_7', 0.05);
    await eventually(async () => expect(await store.claim('evt_7', claim('a'))).toBe('claimed'));
  });
});

describe('memoryStore', () => {
  it('keeps 30 days to the millisecond, and a lease too', async () => {
    let now = 1_763_672_400_000;
    const store = memoryStore({ now: () => now });
    await store.claim('evt_1', claim('a'));
    now += 59_999;
    expect(await store.claim('evt_1', claim('b'))).toBe('in_progress');
    now += 1;
    expect(await store.claim('evt_1', claim('b'))).toBe('claimed');
    await store.markDone('evt_1', 30 * day);
    now += 30 * day * 1000 - 1;
    expect(await store.claim('evt_1', claim('c'))).toBe('done');
    now += 1;
    expect(await store.claim('evt_1', claim('c'))).toBe('claimed');
  });

  it('remembers only the latest events, and all claims', async () => {
    const store = memoryStore({ maxEvents: 2 });
    await store.claim('evt_0', claim('a'));
    for (const id of ['evt_1', 'evt_2', 'evt_3']) await store.markDone(id, day);
    expect(await store.claim('evt_0', claim('b'))).toBe('in_progress');
    expect(await store.claim('evt_2', claim('b'))).toBe('done');
    expect(await store.claim('evt_3', claim('b'))).toBe('done');
    expect(await store.claim('evt_1', claim('b'))).toBe('claimed');
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %s as a number of events', (maxEvents) => {
    expect(() => memoryStore({ maxEvents })).toThrow(TypeError);
  });
});

describe('keyvStore', () => {
  it('rejects when Keyv says that it could not store', async () => {
    const down: KeyvLike = { get: async () => undefined, set: async () => false, delete: async () => false };
    await expect(keyvStore(down).claim('evt_1', claim('a'))).rejects.toThrow('could not store');
    await expect(keyvStore(down).markDone('evt_1', day)).rejects.toThrow('could not store');
  });

  it('treats null as a missing value, as some adapters return it', async () => {
    const kept = new Map<string, string>();
    const store = keyvStore({
      get: async (key) => kept.get(key) ?? null,
      set: async (key, value) => kept.set(key, value),
      delete: async (key) => kept.delete(key),
    });
    expect(await store.claim('evt_1', claim('a'))).toBe('claimed');
    expect(await store.claim('evt_1', claim('b'))).toBe('in_progress');
  });
});

async function startPostgres(): Promise<{ store: EventStore; stop: () => Promise<unknown> }> {
  const program = readmeFunction('postgresStore');
  const { postgresStore } = await importProgram(program);
  const pool = await PGlite.create();
  await pool.exec(/CREATE TABLE .*;/.exec(program)?.[0] ?? '');
  return { store: storeOf(postgresStore, pool), stop: () => pool.close() };
}

async function startRedis(): Promise<{ store: EventStore; stop: () => Promise<unknown> }> {
  const { redisStore } = await importProgram(readmeFunction('redisStore'));
  // ioredis-mock has no types. It runs scripts in a real Lua.
  const Redis = createRequire(import.meta.url)('ioredis-mock') as new () => { quit(): Promise<unknown> };
  const redis = new Redis();
  return { store: storeOf(redisStore, redis), stop: () => redis.quit() };
}

function storeOf(create: unknown, client: unknown): EventStore {
  return (create as (client: unknown) => EventStore)(client); // the README is JavaScript
}
