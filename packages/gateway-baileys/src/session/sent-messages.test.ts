import { manualClock } from '@trunkline/core/testing';
import { memorySession } from '@trunkline/gateway-contract';
import { expect, it } from 'vitest';
import { readSession } from './session-values.ts';
import type { SessionValues } from './session-values.ts';
import { sentMessages } from './sent-messages.ts';
import { ownKeys, signalKeys } from './signal-keys.ts';

const DAY = 86_400_000;

it('the store of sent messages finds each message of the last seven days, across a restart, however many there are', async () => {
  const session = memorySession('ins_1');
  const clock = manualClock();
  const open = (): Promise<SessionValues> => readSession(session, () => {});
  const values = await open();
  const sent = sentMessages(values, clock);
  for (let i = 0; i < 300; i++) {
    const changes = ownKeys(sent.record(`id ${i}`, { jid: '1@lid', content: { conversation: `text ${i}` } }));
    await signalKeys(values, clock).set(changes);
  }
  await clock.advance(7 * DAY);
  for (const messages of [sent, sentMessages(await open(), clock)]) {
    expect(await messages.find('id 0')).toMatchObject({ jid: '1@lid', content: { conversation: 'text 0' } });
    expect(await messages.find('id 299')).toMatchObject({ content: { conversation: 'text 299' } });
    expect(await messages.find('none')).toBeUndefined();
  }
  await clock.advance(DAY);
  expect(await sent.find('id 0')).toBeUndefined();
});
