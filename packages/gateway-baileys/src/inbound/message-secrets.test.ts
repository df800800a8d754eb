import { expect, it } from 'vitest';
import { manualClock } from '@trunkline/core/testing';
import { memorySession } from '@trunkline/gateway-contract';
import { pruneSession, pruningProgress } from '../session/pruning.ts';
import { readSession } from '../session/session-values.ts';
import { ownKeys, signalKeys } from '../session/signal-keys.ts';
import { createPauses } from '../socket/socket-life.ts';
import { messageSecrets } from './message-secrets.ts';

const ME = { id: '5511900000001@s.whatsapp.net', lid: '105511900000001@lid' };
const BOB = '105511988887777@lid';

async function stored() {
  const clock = manualClock();
  const session = memorySession('ins_1');
  const values = await readSession(session, () => {});
  const keys = signalKeys(values, clock);
  const secrets = messageSecrets({ values, kept: new Map(), unopened: () => {} });
  return {
    clock,
    values,
    names: () => [...session.values.keys()],
    /** `seconds` is the network's time of the message, after that of the clock. */
    async keep(id: string, seconds = 0) {
      const attrs = { id, from: BOB, t: String(clock.now() / 1_000 + seconds) };
      const message = { messageContextInfo: { messageSecret: new Uint8Array(32) } };
      await keys.set(ownKeys(secrets.keep([{ origin: { attrs }, message }], ME)));
    },
  };
}

it('the secrets of messages are erased when no edit of them can come any more', async () => {
  const { keep, names } = await stored();
  await keep('first');
  await keep('second', 3_600);
  expect(names()).toHaveLength(2);
  await keep('third', 3_601);
  expect(names().map((name) => name.split('.').at(2))).toEqual([
    'second/105511988887777@lid',
    'third/105511988887777@lid',
  ]);
});

it('at most 2,000 are stored: the oldest ones make room', async () => {
  const { keep, names } = await stored();
  for (let index = 0; index <= 2_000; index += 1) await keep(`id${index}`);
  expect(names()).toHaveLength(2_000);
  expect(names().some((name) => name.includes('.id0/'))).toBe(false);
});

it('those that an earlier process has left are erased after 15 days', async () => {
  const { clock, values, keep, names } = await stored();
  await keep('left');
  const prune = async (): Promise<void> => {
    const end = Promise.withResolvers<void>();
    const pauses = createPauses(clock, end.promise);
    const done = pruneSession({ values, clock, progress: pruningProgress(), pauses });
    await clock.advance(2_000);
    end.resolve();
    await done;
  };
  await clock.advance(14 * 86_400_000);
  await prune();
  expect(names()).toHaveLength(1);
  await clock.advance(2 * 86_400_000);
  await prune();
  expect(names()).toEqual([]);
});
