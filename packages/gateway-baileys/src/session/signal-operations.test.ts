import { setImmediate } from 'node:timers/promises';
import type { Session } from '@trunkline/core/spi/gateway';
import { manualClock } from '@trunkline/core/testing';
import { memorySession } from '@trunkline/gateway-contract';
import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { expect, it } from 'vitest';
import { withinSend } from './current-send.ts';
import type { Send } from './current-send.ts';
import { decodeValue } from './json-value.ts';
import { readSession } from './session-values.ts';
import { signalOperations } from './signal-operations.ts';
import { keyName } from './key-name.ts';
import { ownKeys, signalKeys } from './signal-keys.ts';

type Wait = () => Promise<void>;

/** Sessions that are only counters, each of whose numbers must be used once. */
async function counters({ between, beforeSave = between }: { between: Wait; beforeSave?: Wait }) {
  const session = memorySession('ins_1');
  const slow: Session = {
    ...session,
    async save(changes) {
      await beforeSave();
      await session.save(changes);
    },
  };
  const operations = signalOperations(signalKeys(await readSession(slow, () => {}), manualClock()));
  const keys = {} as SignalKeyStoreWithTransaction; // completed by the next line
  operations.takeOver(keys);
  const stored = (name: string): number => {
    const bytes = session.values.get(keyName('session', name));
    return bytes ? decodeValue<number>(bytes) : 0;
  };
  const current = async (name: string): Promise<number> =>
    Number((await keys.get('session', [name]))[name] ?? 0);
  const step = (name: string): Promise<number> =>
    operations.run([name], async () => {
      const next = (await current(name)) + 1;
      await between();
      await keys.set(ownKeys({ session: { [name]: next } }));
      await between();
      return next;
    });
  const aSend = (id: string): Send => ({
    record: ownKeys({ sent: { [id]: true } }),
    holders: null,
    encryptedFor: new Set(),
    isAhead: false,
    writing: () => {},
  });
  return { session, operations, keys, stored, current, step, aSend };
}

it('operations that overlap use no step twice, lose none, and put none on the wire before it is stored', async (context) => {
  const random = randomInTest(context);
  const between = async (): Promise<void> => {
    for (let turns = Math.floor(random(4)); turns > 0; turns -= 1) await setImmediate();
  };
  for (let run = 0; run < 20; run += 1) {
    const { session, keys, stored, step, aSend } = await counters({ between });
    const used = new Map<string, number[]>();
    const note = (name: string, number: number): void =>
      void used.set(name, [...(used.get(name) ?? []), number]);
    const send = (id: string, chat: string): Promise<void> =>
      withinSend(aSend(id), async () => {
        await between();
        const names = ['own phone', chat];
        const numbers = await Promise.all(names.map(step));
        await keys.get('tctoken', [chat]);
        // Now the message is written, and the process may be killed.
        expect(session.values.has(keyName('sent', id))).toBe(true);
        for (const [index, name] of names.entries()) {
          expect(stored(name)).toBeGreaterThanOrEqual(numbers[index] ?? Infinity);
          note(name, numbers[index] ?? 0);
        }
      });
    const receive = async (chat: string): Promise<void> => {
      await between();
      const number = await step(chat);
      expect(stored(chat)).toBeGreaterThanOrEqual(number);
      note(chat, number);
    };
    const chats = Array.from({ length: 5 }, (_, index) => `chat ${index}`);
    await Promise.all(
      chats.flatMap((chat) => [
        (async () => {
          for (let place = 0; place < 4; place += 1) await send(`${chat} ${place}`, chat);
        })(),
        receive(chat),
        receive('own phone'),
      ]),
    );
    for (const name of ['own phone', ...chats]) {
      const numbers = used.get(name) ?? [];
      expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
      expect(stored(name)).toBe(numbers.length);
    }
  }
});

it('the keys of a send, and the message itself, are stored together', async () => {
  const saves: (readonly string[])[] = [];
  const { session, keys, step, aSend } = await counters({
    between: () => setImmediate(),
    beforeSave: async () => void saves.push([]),
  });
  await withinSend(aSend('message'), async () => {
    await Promise.all(['own phone', 'chat'].map(step));
    await keys.get('tctoken', ['chat']);
  });
  expect(saves).toHaveLength(1);
  expect([...session.values.keys()].toSorted()).toEqual([
    'key.sent.message',
    'key.session.chat',
    'key.session.own phone',
  ]);
});

it('keys that encrypt a message while its first ones are being stored are stored before it, too', async () => {
  const disk = Promise.withResolvers<void>();
  let saves = 0;
  const { keys, stored, step, aSend } = await counters({
    between: async () => {},
    async beforeSave() {
      saves += 1;
      await (saves === 1 ? disk.promise : setImmediate());
    },
  });
  await withinSend(aSend('message'), async () => {
    await step('own phone');
    const reading = keys.get('tctoken', ['chat']);
    await setImmediate();
    await step('chat');
    disk.resolve();
    await reading;
    await keys.get('tctoken', ['chat']);
    expect([stored('own phone'), stored('chat')]).toEqual([1, 1]);
  });
});

it('an operation that fails changes nothing, and what outlasts one is not part of it', async () => {
  const { operations, keys, current } = await counters({ between: async () => {} });
  const failing = operations.run(['chat'], async () => {
    await keys.set(ownKeys({ session: { chat: 5 } }));
    expect(await current('chat')).toBe(5);
    throw new Error('not decrypted');
  });
  await expect(failing).rejects.toThrow('not decrypted');
  expect(await current('chat')).toBe(0);

  const left = Promise.withResolvers<void>();
  let later: Promise<void> = Promise.resolve();
  await operations.run(['chat'], async () => {
    later = left.promise.then(() => keys.set(ownKeys({ session: { chat: 7 } })));
  });
  left.resolve();
  await later;
  expect(await current('chat')).toBe(7);
});

it('a transaction waits for others of its name, but not for itself or for other names', async () => {
  const { keys } = await counters({ between: async () => {} });
  const events: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = keys.transaction(async () => {
    await held.promise;
    await keys.transaction(async () => void events.push('nested'), 'account');
    events.push('first');
  }, 'account');
  const second = keys.transaction(async () => void events.push('second'), 'account');
  await keys.transaction(async () => void events.push('other'), 'group');
  held.resolve();
  await Promise.all([first, second]);
  expect(events).toEqual(['other', 'nested', 'first', 'second']);
});
