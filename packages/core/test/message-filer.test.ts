import { expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { ChatStore } from '@trunkline/core/spi/storage';
import { floorId } from '@trunkline/core/spi/storage';
import { testRuntime } from '@trunkline/core/testing';
import { memoryStorage } from './support/memory-storage.ts';

const SECOND = 1_000;

/** A service whose storage reports `unfiled.count` messages to file, which are `unfiled.ageMs` old. */
async function startFiling() {
  const runtime = testRuntime();
  const lines: string[] = [];
  const unfiled = { count: 0, ageMs: 0 };
  const chats: Partial<ChatStore> = {
    async file(limit) {
      const filed = Math.min(limit, unfiled.count);
      unfiled.count -= filed;
      const lastId = filed === 0 ? null : floorId('msg', runtime.clock.now() - unfiled.ageMs);
      return { filed, lastId, more: filed === limit };
    },
  };
  const storage = memoryStorage();
  const trunkline = createTrunkline({
    ...runtime,
    storage: { ...storage, chats: { ...storage.chats, ...chats } as ChatStore },
    gateways: [createSandbox().gateway],
    secretKey: 'a secret key of at least 32 characters',
    logger: {
      debug() {},
      info() {},
      warn: (_, line) => void lines.push(line),
      error() {},
    },
    roles: { api: false, gateway: false, webhooks: false },
  });
  await trunkline.start();
  return { ...runtime, trunkline, lines, unfiled };
}

it('the message filer files new messages within a second, and a backlog in one go', async () => {
  const { clock, trunkline, unfiled } = await startFiling();
  await clock.advance(SECOND);
  unfiled.count = 2_500;
  await clock.advance(SECOND);
  expect(unfiled.count).toBe(0);
  await trunkline.stop();
});

it('the message filer warns once while it is more than ten seconds late', async () => {
  const { clock, trunkline, unfiled, lines } = await startFiling();
  const late = () => lines.filter((line) => line.includes('are late'));
  Object.assign(unfiled, { count: 5_500, ageMs: 9 * SECOND });
  await clock.advance(SECOND);
  expect(late()).toHaveLength(0);
  Object.assign(unfiled, { count: 5_500, ageMs: 11 * SECOND });
  await clock.advance(SECOND);
  expect(late()).toHaveLength(1);
  await trunkline.stop();
});
