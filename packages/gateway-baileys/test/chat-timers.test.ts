import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

const DAY = 86_400;
let ids = 0;

function aText(to: string, isGroup = false): OutgoingMessage {
  const networkId = `3EB3${String((ids += 1)).padStart(18, '0')}`;
  return { networkId, to, isGroup, content: { type: 'text', text: 'Hello' } };
}

async function timerOfSent(
  { network, link }: Pick<Linked, 'network' | 'link'>,
  message: OutgoingMessage,
): Promise<number | null | undefined> {
  expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
  return network.wa.sentMessages({ id: message.networkId })[0]?.timer;
}

async function receiveWith({ network, link }: Linked, expiration: number | null): Promise<void> {
  const { wa, reader, account } = network;
  const text = `with ${String(expiration)}`;
  const message =
    expiration === null
      ? { conversation: text }
      : { extendedTextMessage: { text, contextInfo: { expiration } } };
  const networkId = await wa.inbound(reader, account, { type: 'raw', message });
  await link.first('message', (report) => report.message.networkId === networkId);
}

it('the WhatsApp gateway has messages disappear when those of the recipient do, after a restart too', async () => {
  const harness = await linked();
  const { reader } = harness.network;
  expect(await timerOfSent(harness, aText(reader.phoneNumber))).toBeNull();
  await receiveWith(harness, 7 * DAY);
  expect(await timerOfSent(harness, aText(reader.phoneNumber))).toBe(7 * DAY);

  await harness.link.connection().close();
  const link = await harness.open();
  await link.first('connected');
  expect(await timerOfSent({ ...harness, link }, aText(reader.phoneNumber))).toBe(7 * DAY);
  await receiveWith({ ...harness, link }, null);
  expect(await timerOfSent({ ...harness, link }, aText(reader.phoneNumber))).toBeNull();
});

it.each(isLongForm ? [-1, 0, 2 ** 31] : [2 ** 31])(
  'the WhatsApp gateway ignores a timer of %s seconds',
  async (expiration) => {
    const harness = await linked();
    await receiveWith(harness, expiration);
    expect(await timerOfSent(harness, aText(harness.network.reader.phoneNumber))).toBeNull();
  },
);

it("the WhatsApp gateway has messages to a group disappear after the group's time", async () => {
  const harness = await linked();
  const { wa, account, reader } = harness.network;
  const group = wa.group({ subject: 'Ours', members: [account, reader] });
  expect(await timerOfSent(harness, aText(group.jid, true))).toBeNull();
  wa.setGroupTimer(group, DAY);
  await eventually(async () => expect(await timerOfSent(harness, aText(group.jid, true))).toBe(DAY));
});
