import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import type { SentMessage } from '@trunkline/fake-whatsapp';
import type { TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

async function send(
  { network: { wa } }: Linked,
  link: TestLink,
  to: Pick<OutgoingMessage, 'to' | 'isGroup'>,
): Promise<readonly SentMessage[]> {
  const networkId = `3EB0C${String((ids += 1)).padStart(17, '0')}`;
  const content = { type: 'text', text: 'hello' } as const;
  expect(await link.connection().send({ networkId, ...to, content })).toEqual({ kind: 'accepted' });
  return wa.sentMessages({ id: networkId });
}

/** Whether the client has acknowledged the notification of a new identity. */
function isKnown({ network: { wa } }: Linked): boolean {
  const isIdentity = ({ tag }: { readonly tag: string }): boolean => tag === 'identity';
  const told = wa
    .transcript()
    .find(
      ({ direction, node }) =>
        direction === 'sent' &&
        node.attrs['type'] === 'encrypt' &&
        Array.isArray(node.content) &&
        node.content.some(isIdentity),
    );
  return wa
    .transcript()
    .some(
      ({ direction, node }) =>
        direction === 'received' && node.tag === 'ack' && node.attrs['id'] === told?.node.attrs['id'],
    );
}

describe('somebody who has installed WhatsApp again', () => {
  it.each([true, false])(
    'reads the first message, in a group and alone (while there was a connection: %s)',
    async (isConnected) => {
      const harness = await linked({ readsByItself: false });
      const { wa, account, reader } = harness.network;
      const ann = wa.person('5511955550077', { linkedDevices: 1 });
      const group = wa.group({ subject: 'Team', members: [account, reader, ann] });
      const toAnn = { to: ann.phoneNumber, isGroup: false };
      const toGroup = { to: group.jid, isGroup: true };
      for (const to of [toAnn, toGroup]) await send(harness, harness.link, to);
      await eventually(() => expect(wa.tokensGiven(account)).toEqual([ann.phoneNumber]));
      let { link } = harness;
      if (!isConnected) await link.connection().close();
      wa.reinstall(ann);
      if (!isConnected) link = await harness.open();
      await link.first('connected');
      await eventually(() => expect(isKnown(harness)).toBe(true));
      // The first stanza of each: the phone has not asked for anything again.
      expect((await send(harness, link, toGroup))[0]?.readableBy).toEqual([
        reader.phoneNumber,
        ann.phoneNumber,
      ]);
      expect((await send(harness, link, toAnn))[0]?.readableOn).toEqual([`${ann.phoneNumber}:0`]);
      await eventually(() => expect(wa.tokensGiven(account)).toEqual([ann.phoneNumber, ann.phoneNumber]));
    },
  );

  it('reads the second message of a group whose first one was on its way meanwhile', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const carol = wa.person('5511955550078');
    const group = wa.group({ subject: 'Team', members: [account, reader, carol] });
    const toGroup = { to: group.jid, isGroup: true };
    wa.holdAcks();
    const first = send(harness, harness.link, toGroup);
    await eventually(() => expect(wa.sentMessages()).toHaveLength(1));
    wa.reinstall(reader);
    // The change is only noted once the message has arrived; other messages are received meanwhile.
    await wa.inbound(carol, account, 'hello');
    await harness.link.first('message');
    wa.releaseAcks();
    await first;
    await eventually(() => expect(isKnown(harness)).toBe(true));
    expect((await send(harness, harness.link, toGroup))[0]?.readableBy).toContain(reader.phoneNumber);
  });

  it('reads a message of a group in the end if WhatsApp has not said so', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Team', members: [account, reader] });
    const toGroup = { to: group.jid, isGroup: true };
    await send(harness, harness.link, toGroup);
    wa.reinstall(reader, { isNotified: false });
    const [first] = await send(harness, harness.link, toGroup);
    expect(first?.readableBy).toEqual([]);
    await eventually(() =>
      expect(wa.sentMessages(first && { id: first.id }).at(-1)?.readableBy).toEqual([reader.phoneNumber]),
    );
    expect((await send(harness, harness.link, toGroup))[0]?.readableBy).toEqual([reader.phoneNumber]);
  });
});
