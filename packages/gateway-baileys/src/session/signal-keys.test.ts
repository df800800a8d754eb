import { setImmediate } from 'node:timers/promises';
import { proto } from '@whiskeysockets/baileys';
import { memorySession } from '@trunkline/gateway-contract';
import { manualClock } from '@trunkline/core/testing';
import { describe, expect, it } from 'vitest';
import { readSession } from './session-values.ts';
import { signalKeys } from './signal-keys.ts';

const clock = manualClock();

it('the store of Signal keys returns keys as they were, bytes as bytes and app state keys as messages', async () => {
  const session = memorySession('ins_1');
  const keys = signalKeys(await readSession(session, () => {}), clock);
  const keyData = proto.Message.AppStateSyncKeyData.fromObject({
    keyData: Buffer.from('secret'),
    timestamp: 5,
  });
  const pair = { public: Buffer.from([1, 2]), private: Buffer.from([3, 255]) };
  await keys.set({
    'pre-key': { '7': pair },
    'app-state-sync-key': { AAAA: keyData },
    'lid-mapping': { '5511': '9922' },
  });

  const again = signalKeys(await readSession(session, () => {}), clock);
  expect(await again.get('pre-key', ['7', '8'])).toEqual({ '7': pair });
  expect(await again.get('lid-mapping', ['5511'])).toEqual({ '5511': '9922' });
  const { AAAA } = await again.get('app-state-sync-key', ['AAAA']);
  expect(AAAA).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  expect(Buffer.from(AAAA?.keyData ?? []).toString()).toBe('secret');
});

it('the store of Signal keys writes one set in one transaction, and deletes what is null', async () => {
  const session = memorySession('ins_1');
  const transactions: number[] = [];
  const counting = {
    ...session,
    save: (changes: ReadonlyMap<string, Uint8Array | null>) => {
      transactions.push(changes.size);
      return session.save(changes);
    },
  };
  const keys = signalKeys(await readSession(counting, () => {}), clock);
  await keys.set({ 'lid-mapping': { a: '1', b: '2' }, 'device-list': { c: ['3'] } });
  await keys.set({ 'lid-mapping': { a: null } });
  expect(transactions).toEqual([3, 1]);
  expect([...session.values.keys()].toSorted()).toEqual(['key.device-list.c', 'key.lid-mapping.b']);
});

it('the store of Signal keys writes nothing after a failed write, and reports that once', async () => {
  const session = memorySession('ins_1');
  const failures: unknown[] = [];
  const keys = signalKeys(await readSession(session, (error) => failures.push(error)), clock);
  session.failNextSave();
  await expect(keys.set({ 'lid-mapping': { a: '1' } })).rejects.toThrow('could not be stored');
  await expect(keys.set({ 'lid-mapping': { b: '2' } })).rejects.toThrow('could not be stored');
  expect(failures).toHaveLength(1);
  expect(session.values.size).toBe(0);
});

it('the store of Signal keys stores no list of all tokens, which would grow with each new person', async () => {
  const session = memorySession('ins_1');
  const keys = signalKeys(await readSession(session, () => {}), clock);
  const token = Buffer.from('token');
  await keys.set({ tctoken: { '1@lid': { token }, __index: { token: Buffer.from('["1@lid"]') } } });
  expect([...session.values.keys()]).toEqual(['key.tctoken.1@lid']);
});

describe('a set of thousands of Signal keys', () => {
  const many = (value: string): Record<string, string[]> =>
    Object.fromEntries(Array.from({ length: 2_000 }, (_, id) => [String(id), [value]]));

  it('is written in one transaction, and other work runs before that', async () => {
    const session = memorySession('ins_1');
    const events: string[] = [];
    const counting = {
      ...session,
      save: (changes: ReadonlyMap<string, Uint8Array | null>) => {
        events.push(`${changes.size} written`);
        return session.save(changes);
      },
    };
    const keys = signalKeys(await readSession(counting, () => {}), clock);
    const set = keys.set({ 'device-list': many('1') });
    for (let turn = 0; turn < 5; turn += 1) {
      await setImmediate();
      events.push('a turn');
    }
    await set;
    expect(events).toEqual([...Array.from({ length: 5 }, () => 'a turn'), '2000 written']);
  });

  it('comes before everything that is read and written after it', async () => {
    const session = memorySession('ins_1');
    const keys = signalKeys(await readSession(session, () => {}), clock);
    const first = keys.set({ 'device-list': many('1') });
    const read = keys.get('device-list', ['1999']);
    const second = keys.set({ 'device-list': { '0': ['2'] } });
    const third = keys.set({ 'device-list': many('3') });
    const fourth = keys.set({ 'device-list': { '0': ['4'] } });
    const last = keys.get('device-list', ['0', '1999']);
    expect(await read).toEqual({ '1999': ['1'] });
    await Promise.all([first, second, third, fourth]);
    expect(await last).toEqual({ '0': ['4'], '1999': ['3'] });
    const stored = signalKeys(await readSession(session, () => {}), clock);
    expect(await stored.get('device-list', ['0', '1999'])).toEqual({ '0': ['4'], '1999': ['3'] });
  });

  it('ends the connection like any other failed write', async () => {
    const session = memorySession('ins_1');
    const failures: unknown[] = [];
    const keys = signalKeys(await readSession(session, (error) => failures.push(error)), clock);
    session.failNextSave();
    await expect(keys.set({ 'device-list': many('1') })).rejects.toThrow('could not be stored');
    await expect(keys.set({ 'device-list': { '0': ['2'] } })).rejects.toThrow('could not be stored');
    expect(failures).toHaveLength(1);
    expect(session.values.size).toBe(0);
  });
});
