import { memorySession } from '@trunkline/gateway-contract';
import { expect, it } from 'vitest';
import { readSession } from './session-values.ts';
import type { SessionValues } from './session-values.ts';
import { sentMessages } from './sent-messages.ts';
import { ownKeys, signalKeys } from './signal-keys.ts';

const session = memorySession('ins_1');
const open = (): Promise<SessionValues> => readSession(session, () => {});

it('the store of sent messages keeps the last messages, over a restart, and no more', async () => {
  const values = await open();
  const sent = sentMessages(values);
  for (let i = 0; i < 300; i++) {
    await signalKeys(values).set(ownKeys(sent.record(`id ${i}`, { conversation: `text ${i}` })));
  }
  for (const messages of [sent, sentMessages(await open())]) {
    expect(messages.find('id 299')).toMatchObject({ conversation: 'text 299' });
    expect(messages.find('id 44')).toMatchObject({ conversation: 'text 44' });
    expect(messages.find('id 43')).toBeUndefined();
    expect(messages.find('none')).toBeUndefined();
  }
  expect(session.values.size).toBe(256);

  const restarted = await open();
  const more = sentMessages(restarted);
  await signalKeys(restarted).set(ownKeys(more.record('id 300', { conversation: 'text 300' })));
  expect(more.find('id 44')).toBeUndefined();
  expect(more.find('id 45')).toMatchObject({ conversation: 'text 45' });
});
