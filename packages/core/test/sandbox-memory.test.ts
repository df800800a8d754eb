import { expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox/index.ts';
import { connectInstance, sendText, SECOND, startHarness } from './support/harness.ts';

/** How many instances that are neither connected nor linked, such as deleted ones, the sandbox remembers. */
const KEPT = 100;

it('The sandbox forgets deleted instances, but for the latest', async () => {
  const harness = await startHarness();
  const deleted = [];
  for (let at = 0; at <= KEPT; at += 1) {
    const id = await connectInstance(harness);
    await sendText(harness, id, '15550001');
    await harness.clock.advance(SECOND);
    if (at % 2 === 0) await harness.api.instances.disconnect(id);
    const removed = harness.api.instances.delete(id);
    await harness.clock.advance(SECOND);
    await removed;
    deleted.push(id);
  }
  const known = deleted.map((id) => harness.sandbox.phone(id).accepted().length);
  expect(known).toEqual([0, ...Array.from({ length: KEPT }, () => 1)]);
});

it('The sandbox remembers the latest messages of an instance, as many as keptMessages', async () => {
  const sandbox = createSandbox({ keptMessages: 3 });
  const harness = { ...(await startHarness({ gateway: sandbox.gateway })), sandbox };
  const id = await connectInstance(harness);
  for (let at = 1; at <= 5; at += 1) {
    await sendText(harness, id, `1555010${at}`);
    await harness.clock.advance(SECOND);
  }
  const phone = sandbox.phone(id);
  expect(phone.accepted().map(({ to }) => to)).toEqual(['15550103', '15550104', '15550105']);
  const [oldest] = phone.accepted();
  await phone.react({ about: oldest?.networkId ?? '', from: '15550103', emoji: '👍' });

  for (let at = 1; at <= 3; at += 1) await phone.receive({ from: '15550200', text: `${at}` });
  await expect(
    phone.react({ about: oldest?.networkId ?? '', from: '15550103', emoji: '👍' }),
  ).rejects.toThrow('The network knows no such message');
});

it.each([0, 1.5, '3', null])('The sandbox refuses to remember %j messages', (keptMessages) => {
  expect(() => createSandbox({ keptMessages: keptMessages as number })).toThrow(
    'createSandbox: keptMessages must be a whole number above 0',
  );
});
