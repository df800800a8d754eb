import { expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { ChatStore, FilingPass } from '@trunkline/core/spi/storage';
import { floorId } from '@trunkline/core/spi/storage';
import { memoryStorage, testRuntime } from '@trunkline/core/testing';

const SECOND = 1_000;

/** A service whose storage has this many messages to file, and how late it is. */
async function startFiling({ fresh, older }: { fresh: number; older: number }) {
  const runtime = testRuntime();
  const lines: string[] = [];
  const left = { fresh, older };
  let missingFrom: string | null = null;
  const pass =
    (name: 'fresh' | 'older') =>
    async (limit: number): Promise<FilingPass> => {
      const filed = Math.min(limit, left[name]);
      left[name] -= filed;
      return { filed, more: filed === limit };
    };
  const chats: Partial<ChatStore> = {
    file: pass('fresh'),
    fileOlder: pass('older'),
    coverage: async () => ({ missingFrom, coversFrom: null }),
  };
  const storage = memoryStorage();
  const trunkline = createTrunkline({
    ...runtime,
    storage: { ...storage, chats: { ...storage.chats, ...chats } as ChatStore },
    gateway: createSandbox().gateway,
    secretKey: 'a secret key of at least 32 characters',
    logger: {
      debug() {},
      info: (_, line) => void lines.push(line),
      warn: (_, line) => void lines.push(line),
      error() {},
    },
    roles: { api: false, gateway: false, webhooks: false },
  });
  await trunkline.start();
  return {
    ...runtime,
    trunkline,
    lines,
    left,
    fallBehind: (since: number) => {
      missingFrom = floorId('msg', since);
    },
  };
}

it('the message filer files what is new within a second, and all that is left in one go', async () => {
  const { clock, trunkline, left } = await startFiling({ fresh: 0, older: 0 });
  await clock.advance(SECOND);
  left.fresh = 2_500;
  await clock.advance(SECOND);
  expect(left.fresh).toBe(0);
  await trunkline.stop();
});

it('the message filer files what is older step by step, and logs its begin and its end', async () => {
  const { clock, trunkline, left, lines } = await startFiling({ fresh: 0, older: 1_200 });
  expect(left.older).toBe(700);
  await clock.advance(100);
  expect(left.older).toBe(200);
  await clock.advance(100);
  expect(left.older).toBe(0);
  await clock.advance(10 * SECOND);
  expect(lines.filter((line) => line.includes('older messages'))).toHaveLength(2);
  await trunkline.stop();
});

it('the message filer warns once while it is more than ten seconds late', async () => {
  const { clock, trunkline, left, lines, fallBehind } = await startFiling({ fresh: 0, older: 0 });
  fallBehind(clock.now() - 11 * SECOND);
  left.fresh = 5_000;
  await clock.advance(SECOND);
  await clock.advance(SECOND);
  expect(lines.filter((line) => line.includes('are late'))).toHaveLength(1);
  await trunkline.stop();
});
