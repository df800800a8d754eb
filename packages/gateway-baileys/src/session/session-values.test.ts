import { setImmediate } from 'node:timers/promises';
import type { Session } from '@trunkline/core/spi/gateway';
import { memorySession } from '@trunkline/gateway-contract';
import { expect, it } from 'vitest';
import { readSession, SessionBrokenError } from './session-values.ts';
import type { SessionValues } from './session-values.ts';

const bytes = (value: number): Uint8Array => Uint8Array.of(value);
const read = async (
  values: SessionValues,
  ...names: readonly string[]
): Promise<readonly (number | undefined)[]> => {
  const found = await values.read(names);
  return names.map((name) => found.get(name)?.[0]);
};

function watched(stored: ReadonlyMap<string, Uint8Array>) {
  const session = memorySession('ins_1', stored);
  const reads: string[] = [];
  const watching: Session = {
    ...session,
    async load() {
      throw new Error('Everything was read.');
    },
    async read(names) {
      reads.push(...names);
      return (await session.read?.(names)) ?? new Map();
    },
  };
  return { session, watching, reads };
}

it('a session is read on demand, and each value only once', async () => {
  const stored = new Map<string, Uint8Array>(
    Array.from({ length: 1_200 }, (_, i) => [`key.${i}`, bytes(i % 256)] as const),
  );
  stored.set('creds', bytes(1));
  stored.set('key.arrival.A', bytes(2));
  const { watching, reads } = watched(stored);
  const values = await readSession(watching, () => {}, { names: ['creds'], prefixes: ['key.arrival.'] });
  expect(reads.toSorted()).toEqual(['creds', 'key.arrival.A']);
  expect(values.resident.get('creds')).toEqual(bytes(1));
  expect(values.resident.names('key.')).toEqual(['key.arrival.A']);

  expect(await read(values, 'key.7', 'none', 'creds')).toEqual([7, undefined, 1]);
  expect(await read(values, 'key.7', 'none')).toEqual([7, undefined]);
  expect(reads.slice(2)).toEqual(['key.7', 'none']);
});

it('a session that cannot be read in parts is read as a whole', async () => {
  const { load, save, instanceId } = memorySession('ins_1', new Map([['key.1', bytes(1)]]));
  const values = await readSession({ load, save, instanceId }, () => {});
  await values.save(new Map([['key.2', bytes(2)]]));
  expect(await read(values, 'key.1', 'key.2', 'key.3')).toEqual([1, 2, undefined]);
  expect(await values.names({ prefix: 'key.', after: 'key.1', limit: 5 })).toEqual(['key.2']);
});

it('a session returns what was written while it was being read, then and later', async () => {
  const { session, watching } = watched(
    new Map([
      ['one', bytes(1)],
      ['two', bytes(1)],
    ]),
  );
  const disk = Promise.withResolvers<void>();
  const slow: Session = {
    ...watching,
    async read(names) {
      const found = (await session.read?.(names)) ?? new Map<string, Uint8Array>();
      if (names.length > 0) await disk.promise;
      return found;
    },
  };
  const values = await readSession(slow, () => {});
  const reading = read(values, 'one', 'two');
  const writing = values.save(
    new Map([
      ['one', bytes(2)],
      ['two', null],
    ]),
  );
  expect(await Promise.race([read(values, 'one', 'two'), reading])).toEqual([2, undefined]);
  await writing;
  disk.resolve();
  expect(await reading).toEqual([2, undefined]);
  expect(await read(values, 'one', 'two')).toEqual([2, undefined]);
});

it('a session stores together, in order, what was put while it was writing', async () => {
  const session = memorySession('ins_1');
  const writes: [string, number | undefined][][] = [];
  const disk = Promise.withResolvers<void>();
  const slow: Session = {
    ...session,
    async save(changes) {
      writes.push([...changes].map(([name, value]) => [name, value?.[0]]));
      await disk.promise;
      await session.save(changes);
    },
  };
  const values = await readSession(slow, () => {});
  const first = values.save(new Map([['one', bytes(1)]]));
  while (writes.length === 0) await setImmediate();
  values.put(new Map([['one', bytes(2)]]));
  const others = [2, 3].map((value) => values.save(new Map([['two', bytes(value)]])));
  expect(await read(values, 'one', 'two')).toEqual([2, 3]);
  expect(session.values.size).toBe(0);
  disk.resolve();
  await first;
  expect(session.values.get('one')).toEqual(bytes(1));
  await Promise.all(others);
  expect(writes).toEqual([
    [['one', 1]],
    [
      ['one', 2],
      ['two', 3],
    ],
  ]);
});

it('a session that could not be written once refuses everything after that', async () => {
  const session = memorySession('ins_1');
  const failures: unknown[] = [];
  const values = await readSession(session, (error) => failures.push(error));
  session.failNextSave();
  const saves = [1, 2].map((value) => values.save(new Map([['one', bytes(value)]])));
  for (const save of saves) await expect(save).rejects.toThrow(SessionBrokenError);
  await expect(values.stored()).rejects.toThrow(SessionBrokenError);
  await values.close();
  expect(failures).toEqual([new Error('The disk is full.')]);
  expect(session.values.size).toBe(0);
});

it('a closed session finishes the writes that have begun, and refuses others', async () => {
  const { session, watching } = watched(new Map());
  const failed: unknown[] = [];
  const values = await readSession(watching, (error) => failed.push(error));
  void values.save(new Map([['one', bytes(1)]]));
  await values.close();
  await expect(values.save(new Map([['two', bytes(2)]]))).rejects.toThrow('The connection has ended');
  expect([...session.values.keys()]).toEqual(['one']);
  expect(failed).toEqual([]);
});
