import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

function aText(to: string): OutgoingMessage {
  const networkId = `3EB2${String((ids += 1)).padStart(18, '0')}`;
  return { networkId, to, isGroup: false, content: { type: 'text', text: 'Hello' } };
}

const addresses = ({ network }: Linked): readonly string[] => network.wa.sentMessages().map(({ to }) => to);

describe('the address of a recipient', () => {
  it('is the hidden id, to which alone WhatsApp delivers once a contact has moved', async () => {
    const harness = await linked();
    const moved = harness.network.wa.person('5511966665555', { writtenToBy: 'lid' });
    expect(await harness.link.connection().send(aText(moved.phoneNumber))).toEqual({ kind: 'accepted' });
    expect(addresses(harness)).toEqual([moved.lidJid]);
  });

  it('is the number where WhatsApp refuses the hidden id, and stays so over a restart', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    const unmoved = wa.person('5511955554444', { writtenToBy: 'pn' });
    const message = aText(unmoved.phoneNumber);
    expect(await harness.link.connection().send(message)).toEqual({ kind: 'accepted' });
    expect(addresses(harness)).toEqual([unmoved.lidJid, unmoved.jid]);
    expect(new Set(wa.sentMessages().map(({ id }) => id))).toEqual(new Set([message.networkId]));

    await harness.link.connection().close();
    const again = await harness.open();
    await again.first('connected');
    expect(await again.connection().send(aText(unmoved.phoneNumber))).toEqual({ kind: 'accepted' });
    expect(addresses(harness).slice(2)).toEqual([unmoved.jid]);
  });

  it('is tried once each, then the message is refused as of a restricted account', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    const stranger = wa.person('5511944443333', { needsToken: true });
    expect(await harness.link.connection().send(aText(stranger.phoneNumber))).toMatchObject({
      kind: 'refused',
      error: { code: 'account_restricted' },
    });
    expect(addresses(harness)).toEqual([stranger.lidJid, stranger.jid]);
  });

  it('is tried no second time if WhatsApp, asked after the refusal, says that the number may start no chats', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account } = harness.network;
    await harness.link.first('restricted', ({ restriction }) => restriction === null);
    const until = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
    wa.lockNewChats(account, until);
    const strangers = ['5511944443333', '5511944443334'].map((to) => wa.person(to, { needsToken: true }));
    for (const { phoneNumber } of strangers)
      expect(await harness.link.connection().send(aText(phoneNumber))).toMatchObject({
        kind: 'refused',
        error: { code: 'account_restricted' },
      });
    expect(addresses(harness)).toEqual(strangers.map(({ lidJid }) => lidJid));
    expect(harness.link.all('restricted').at(-1)?.restriction).toEqual({ code: 'cannot_start_chats', until });
  });

  it('is asked about at most once a minute, however many messages WhatsApp refuses', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa } = harness.network;
    await harness.link.first('restricted');
    const asked = () =>
      wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'w:mex').length;
    const before = asked();
    for (const to of ['5511944443333', '5511944443334']) {
      wa.person(to, { needsToken: true });
      expect(await harness.link.connection().send(aText(to))).toMatchObject({ kind: 'refused' });
    }
    // The lock and the cap.
    expect(asked() - before).toBe(2);
  });

  it.runIf(isLongForm)(
    'is tried no second time while WhatsApp says that the number may start no chats',
    async () => {
      const harness = await linked();
      const { wa, account } = harness.network;
      wa.lockNewChats(account, Date.now() + 3_600_000, { isNotified: true });
      await harness.link.first('restricted', ({ restriction }) => restriction !== null);
      const stranger = wa.person('5511944443333', { needsToken: true });
      expect(await harness.link.connection().send(aText(stranger.phoneNumber))).toMatchObject({
        kind: 'refused',
        error: { code: 'account_restricted' },
      });
      expect(addresses(harness)).toEqual([stranger.lidJid]);
    },
  );

  it.runIf(isLongForm)('can be given by the network alone: nobody knows the number', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    const hidden = wa.person('5511933332222', { hidesNumber: true, writtenToBy: 'lid' });
    const message = { ...aText(''), contactNetworkId: hidden.lidJid };
    expect(await harness.link.connection().send(message)).toEqual({ kind: 'accepted' });
    expect(addresses(harness)).toEqual([hidden.lidJid]);
  });

  it('is reported with the outcome if the number is registered otherwise than it was dialled', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    const eva = wa.person('554788880001');
    wa.dialAs('5547988880001', eva);
    expect(await harness.link.connection().send(aText('5547988880001'))).toEqual({
      kind: 'accepted',
      recipient: {
        networkId: eva.lidJid,
        aliases: [eva.jid],
        phoneNumber: '554788880001',
        name: null,
        username: null,
      },
    });
    expect(addresses(harness)).toEqual([eva.lidJid]);
    expect(await harness.link.connection().send(aText('554788880001'))).toEqual({ kind: 'accepted' });
  });
});
