import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import type { Person } from '@trunkline/fake-whatsapp';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

async function send({ network, link }: Linked, to: Person, text: string): Promise<OutgoingMessage> {
  const networkId = `3EB0D${String((ids += 1)).padStart(17, '0')}`;
  const content = { type: 'text', text } as const;
  const message = { networkId, to: to.phoneNumber, isGroup: false, content };
  expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
  expect(network.wa.sentMessages({ id: networkId })).toHaveLength(1);
  return message;
}

function readersOf({ network }: Linked, { networkId }: OutgoingMessage): readonly string[] {
  return network.wa.sentMessages({ id: networkId }).at(-1)?.readableOn ?? [];
}

describe('a person with several devices', () => {
  it('reads on each of them, also on one that was linked since', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa } = harness.network;
    const ann = wa.person('5511955550011', { linkedDevices: 1 });
    const on = (...devices: readonly number[]): readonly string[] =>
      devices.map((device) => `${ann.phoneNumber}:${device}`);
    expect(readersOf(harness, await send(harness, ann, 'one'))).toEqual(on(0, 1));
    const added = wa.linkDevice(ann);
    await eventually(async () =>
      expect(readersOf(harness, await send(harness, ann, 'two'))).toEqual(on(0, 1, added)),
    );
    wa.unlinkDevice(ann, 1);
    await eventually(async () =>
      expect(readersOf(harness, await send(harness, ann, 'three'))).toEqual(on(0, added)),
    );
  });

  it('reads on the hosted device of a business, too', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const supplier = wa.person('5511955550012', { isHosted: true });
    await wa.inbound(supplier, account, 'hello', { device: 99 });
    await harness.link.first('message');
    expect(readersOf(harness, await send(harness, supplier, 'hello'))).toEqual(
      [0, 99].map((device) => `${supplier.phoneNumber}:${device}`),
    );
  });

  it('is one person, whichever of them a message comes from', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const ann = wa.person('5511955550012', { linkedDevices: 1 });
    for (const device of [0, 1]) await wa.inbound(ann, account, `from ${device}`, { device });
    await link.first('message', ({ message }) => textOf(message) === 'from 1');
    const [phone, other] = link.all('message').map(({ message }) => message);
    expect(other).toMatchObject({ senderId: phone?.senderId, contact: phone?.contact });
  });

  it('gets a message again on the one that could not read it, with the keys that it sends for that', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    const ann = wa.person('5511955550013', { linkedDevices: 1 });
    const { networkId } = await send(harness, ann, 'say again?');
    // The second retry receipt carries the keys of a new session.
    for (const times of [1, 2]) {
      await wa.requestRetry(account, ann, networkId, { device: 1 });
      await eventually(() => expect(wa.sentMessages({ id: networkId })).toHaveLength(1 + times));
      expect(wa.sentMessages({ id: networkId }).at(-1)).toMatchObject({
        content: { type: 'text', text: 'say again?' },
        readableOn: [`${ann.phoneNumber}:1`],
      });
    }
  });
});
