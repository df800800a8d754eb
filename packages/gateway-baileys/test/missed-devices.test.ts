import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

async function sent({ link }: Linked, to: string, { isGroup = false } = {}): Promise<string> {
  const networkId = `3EB0F${String((ids += 1)).padStart(17, '0')}`;
  const message: OutgoingMessage = { networkId, to, isGroup, content: { type: 'text', text: 'to all' } };
  expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
  return networkId;
}

function readersOf({ network: { wa } }: Linked, id: string): readonly (readonly string[])[] {
  return wa.sentMessages({ id }).map(({ readableOn }) => readableOn);
}

function deviceQueries({ network: { wa } }: Linked): number {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'usync').length;
}

describe('a device that was linked without a notification', () => {
  it('gets a message to its owner afterwards, under the same id, and the next one with the others', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa } = harness.network;
    const ann = wa.person('5511955550021', { name: 'Ann' });
    const [phone, tablet] = [`${ann.phoneNumber}:0`, `${ann.phoneNumber}:1`];
    await sent(harness, ann.phoneNumber);
    wa.linkDevice(ann, { isNotified: false });
    const id = await sent(harness, ann.phoneNumber);
    await eventually(() => expect(readersOf(harness, id)).toEqual([[phone], [tablet]]));
    expect(wa.inbox(ann)).toHaveLength(2);

    const queries = deviceQueries(harness);
    expect(readersOf(harness, await sent(harness, ann.phoneNumber))).toEqual([[phone, tablet]]);
    expect(deviceQueries(harness)).toBe(queries);
  });

  it('gets a message to a group of its owner, and the next one with the others', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Team', members: [account, reader] });
    const [phone, tablet] = [`${reader.phoneNumber}:0`, `${reader.phoneNumber}:1`];
    await sent(harness, group.jid, { isGroup: true });
    const queries = deviceQueries(harness);
    await sent(harness, group.jid, { isGroup: true });
    expect(deviceQueries(harness)).toBe(queries);

    wa.linkDevice(reader, { isNotified: false });
    const id = await sent(harness, group.jid, { isGroup: true });
    await eventually(() => expect(readersOf(harness, id)).toContainEqual([tablet]));
    expect(deviceQueries(harness)).toBe(queries + 1);
    expect(readersOf(harness, await sent(harness, group.jid, { isGroup: true }))).toEqual([[phone, tablet]]);
  });

  it.runIf(isLongForm)(
    'makes the list be queried once a minute at most, even if WhatsApp computes another hash',
    async () => {
      const harness = await linked({ readsByItself: false });
      const { wa } = harness.network;
      const ann = wa.person('5511955550022', { name: 'Ann' });
      await sent(harness, ann.phoneNumber);
      const queries = deviceQueries(harness);
      wa.hashWrongly();
      const id = await sent(harness, ann.phoneNumber);
      await eventually(() => expect(deviceQueries(harness)).toBe(queries + 1));
      for (let times = 0; times < 2; times += 1) await sent(harness, ann.phoneNumber);
      expect(deviceQueries(harness)).toBe(queries + 1);
      expect(readersOf(harness, id)).toHaveLength(1);
    },
  );
});
