import { manualClock } from '@trunkline/core/testing';
import type { ManualClock } from '@trunkline/core/testing';
import { memorySession } from '@trunkline/gateway-contract';
import { expect, it } from 'vitest';
import { pruneSession, pruningProgress } from './pruning.ts';
import type { PruningProgress } from './pruning.ts';
import { sentPoll } from '../inbound/poll-secrets.ts';
import { createPauses } from '../socket/socket-life.ts';
import { readSession } from './session-values.ts';
import type { SessionValues } from './session-values.ts';
import { sentMessages } from './sent-messages.ts';
import { ownKeys, signalKeys } from './signal-keys.ts';

const DAY = 86_400_000;

interface Pruned {
  readonly clock: ManualClock;
  readonly values: SessionValues;
  readonly keys: ReturnType<typeof signalKeys>;
  readonly names: () => readonly string[];
  prune(ms: number): Promise<void>;
}

async function pruned(): Promise<Pruned> {
  const clock = manualClock();
  const session = memorySession('ins_1');
  const values = await readSession(session, () => {});
  const progress: PruningProgress = pruningProgress();
  return {
    clock,
    values,
    keys: signalKeys(values, clock),
    names: () => [...session.values.keys()].toSorted(),
    async prune(ms) {
      const end = Promise.withResolvers<void>();
      const done = pruneSession({ values, clock, progress, pauses: createPauses(clock, end.promise) });
      await clock.advance(ms);
      end.resolve();
      await done;
    },
  };
}

it('a pair of hidden id and number is erased when it was unused for 180 days', async () => {
  const { clock, keys, names, prune } = await pruned();
  await keys.set({
    'lid-mapping': { '5511': '99', '99_reverse': '5511', '5522': '88', '88_reverse': '5522' },
  });
  await clock.advance(100 * DAY);
  expect(await keys.get('lid-mapping', ['99_reverse'])).toEqual({ '99_reverse': '5511' });
  await clock.advance(81 * DAY);
  await prune(2_000);
  expect(names()).toEqual(['key.lid-mapping.5511', 'key.lid-mapping.99_reverse']);
  await clock.advance(100 * DAY);
  await prune(2_000);
  expect(names()).toEqual([]);
});

it('a number with a new hidden id keeps it, whoever looks up the previous one', async () => {
  const { clock, keys } = await pruned();
  await keys.set({ 'lid-mapping': { '5511': '99', '99_reverse': '5511' } });
  await keys.set({ 'lid-mapping': { '5511': '77', '77_reverse': '5511' } });
  await clock.advance(10 * DAY);
  await keys.get('lid-mapping', ['99_reverse']);
  await clock.settle();
  expect(await keys.get('lid-mapping', ['5511'])).toEqual({ '5511': '77' });
});

it('tokens of trusted contacts are erased when they are older than WhatsApp accepts', async () => {
  const { clock, keys, names, prune } = await pruned();
  const now = Math.floor(clock.now() / 1_000);
  const token = Buffer.from('token');
  await keys.set({
    tctoken: {
      '1@lid': { token, timestamp: String(now) },
      '2@lid': { token, timestamp: String(now), senderTimestamp: now + 20 * 86_400 },
    },
  });
  await clock.advance(29 * DAY);
  await prune(2_000);
  expect(names()).toEqual(['key.tctoken.2@lid']);
});

it('sent messages are erased after seven days', async () => {
  const { clock, values, keys, names, prune } = await pruned();
  const sent = sentMessages(values, clock);
  await keys.set(ownKeys(sent.record('first', { jid: '1@lid', content: { conversation: 'hi' } })));
  await clock.advance(DAY);
  await keys.set(ownKeys(sent.record('later', { jid: '1@lid', content: { conversation: 'hello' } })));
  await clock.advance(7 * DAY);
  await prune(2_000);
  expect(names()).toHaveLength(1);
  expect(await sent.find('later')).toMatchObject({ content: { conversation: 'hello' } });
});

it('a large session is pruned page by page, from where an earlier connection ended', async () => {
  const pairs = Array.from({ length: 1_200 }, (_, i) => [`55${i}`, `9${i}`] as const);
  const { clock, keys, names, prune } = await pruned();
  await keys.set({ 'lid-mapping': Object.fromEntries(pairs) });
  await clock.advance(181 * DAY);
  await prune(1_000);
  expect(names()).toHaveLength(700);
  await prune(1_000);
  expect(names()).toHaveLength(200);
  await prune(1_000);
  expect(names()).toHaveLength(0);
});

it('a poll is erased when votes in it have been read for 90 days', async () => {
  const { clock, keys, names, prune } = await pruned();
  const content = {
    messageContextInfo: { messageSecret: new Uint8Array(32) },
    pollCreationMessageV3: { name: 'When?', options: [{ optionName: 'Mon' }] },
  };
  await keys.set(ownKeys(sentPoll('P1', content, clock.now())));
  expect(sentPoll('T1', { conversation: 'Mon?' }, clock.now())).toEqual({});
  await clock.advance(90 * DAY);
  await prune(2_000);
  expect(names()).toEqual(['key.poll.P1/own']);
  await clock.advance(DAY);
  await prune(2_000);
  expect(names()).toEqual([]);
});
