import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { elapsing, until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

let ids = 0;

function aText(to: string, isGroup = false): OutgoingMessage {
  const networkId = `3EB1${String((ids += 1)).padStart(18, '0')}`;
  return { networkId, to, isGroup, content: { type: 'text', text: 'Hello' } };
}

const send = ({ link }: Linked, message: OutgoingMessage) => link.connection().send(message);

const unanswered = { kind: 'not_sent', error: { code: 'network_busy' } };

const impatient = () =>
  linked({ readsByItself: false, gateway: { socket: { defaultQueryTimeoutMs: elapsing(1_000) } } });

function isAbout({ attrs, content }: BinaryNode, jid: string): boolean {
  return attrs['jid'] === jid || (Array.isArray(content) && content.some((child) => isAbout(child, jid)));
}

describe('a message that WhatsApp does not take for now was not sent', () => {
  it.each(isLongForm ? ['usync/get/usync', 'encrypt/get/key'] : ['usync/get/usync'])(
    'when the query %s is limited',
    async (query) => {
      const harness = await linked();
      const { wa, reader } = harness.network;
      const message = aText(reader.phoneNumber);
      wa.refuseQueries(query, 429);
      expect(await send(harness, message)).toMatchObject({
        kind: 'not_sent',
        retryAfterMs: 60_000,
        error: { code: 'network_busy' },
      });
      expect(wa.sentMessages()).toEqual([]);
      expect(await send(harness, message)).toEqual({ kind: 'accepted' });
    },
  );

  it.runIf(isLongForm)('when the query for the members of a group is limited', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Ours', members: [account, reader] });
    wa.refuseQueries('w:g2/get/query', 429);
    expect(await send(harness, aText(group.jid, true))).toMatchObject({
      kind: 'not_sent',
      retryAfterMs: 60_000,
      error: { code: 'network_busy' },
    });
    expect(wa.sentMessages()).toEqual([]);
    expect(await send(harness, aText(group.jid, true))).toEqual({ kind: 'accepted' });
  });

  it('when the network itself takes no message', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    wa.refuseNextMessage(account, 429);
    expect(await send(harness, aText(reader.phoneNumber))).toMatchObject({
      kind: 'not_sent',
      error: { code: 'network_busy' },
    });
  });

  it('when it names no devices of the recipient', async () => {
    const harness = await linked();
    const { wa, reader } = harness.network;
    wa.hideDevices(reader);
    const message = aText(reader.phoneNumber);
    expect(await send(harness, message)).toMatchObject({
      kind: 'not_sent',
      retryAfterMs: 60_000,
      error: { code: 'recipient_unreachable' },
    });
    expect(wa.sentMessages()).toEqual([]);
    wa.showDevices(reader);
    expect(await send(harness, message)).toEqual({ kind: 'accepted' });
  });

  it.runIf(isLongForm)('when the recipient has no hidden id, at the first try', async () => {
    const harness = await linked();
    const { wa } = harness.network;
    const old = wa.person('5511977776666', { lid: null });
    expect(await send(harness, aText(old.phoneNumber))).toMatchObject({
      kind: 'not_sent',
      error: { code: 'recipient_unreachable' },
    });
    expect(wa.sentMessages()).toEqual([]);
  });

  it('when the connection ends before it is written', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    wa.muteQueries('usync/get/usync');
    const sending = send(harness, aText(reader.phoneNumber));
    wa.drop(account);
    expect(await sending).toEqual({ kind: 'not_sent', reason: 'the connection closed' });
    expect(wa.sentMessages()).toEqual([]);
  });
});

describe('a query without a response', () => {
  it('does not mean that a recipient has no hidden id, to which alone WhatsApp delivers', async () => {
    const harness = await impatient();
    const { wa } = harness.network;
    const moved = wa.person('5511966665555', { writtenToBy: 'lid' });
    const message = { ...aText(moved.phoneNumber), contactNetworkId: moved.jid };
    const asked = () =>
      wa.transcript().some(({ direction, node }) => direction === 'received' && isAbout(node, moved.jid));
    wa.muteQueries('usync/get/usync');
    const sending = send(harness, message);
    await until('the hidden id is asked for', asked);
    wa.unmuteQueries();
    expect(await sending).toMatchObject(unanswered);
    expect(wa.sentMessages()).toEqual([]);
    expect(await send(harness, message)).toEqual({ kind: 'accepted' });
  });

  it.runIf(isLongForm)(
    'does not mean that a recipient whose hidden id WhatsApp refuses has no devices',
    async () => {
      const harness = await impatient();
      const { wa } = harness.network;
      const unmoved = wa.person('5511955554444', { writtenToBy: 'pn' });
      const message = aText(unmoved.phoneNumber);
      const sending = send(harness, message);
      await wa.nextMessage();
      wa.muteQueries('usync/get/usync');
      expect(await sending).toMatchObject(unanswered);
      wa.unmuteQueries();
      expect(await send(harness, message)).toEqual({ kind: 'accepted' });
      expect(wa.sentMessages().map(({ refused }) => refused)).toEqual([463, 463, null]);
    },
  );
});

describe('a group whose members are named in another way than before', () => {
  it('is asked for again, and gets the message under the same id', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Ours', members: [account, reader], addressing: 'pn' });
    expect(await send(harness, aText(group.jid, true))).toEqual({ kind: 'accepted' });
    wa.readdressGroup(group, 'lid');
    const message = aText(group.jid, true);
    expect(await send(harness, message)).toEqual({ kind: 'accepted' });
    const sent = wa.sentMessages({ id: message.networkId });
    expect(sent.map(({ refused }) => refused)).toEqual([421, null]);
    expect(sent[1]?.readableBy).toEqual([reader.phoneNumber]);
  });

  it.runIf(isLongForm)('is written to later if WhatsApp does not respond to that query', async () => {
    const harness = await impatient();
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Ours', members: [account, reader], addressing: 'pn' });
    expect(await send(harness, aText(group.jid, true))).toEqual({ kind: 'accepted' });
    wa.readdressGroup(group, 'lid');
    const message = aText(group.jid, true);
    const sending = send(harness, message);
    await wa.nextMessage({ id: message.networkId });
    wa.muteQueries('w:g2/get/query');
    expect(await sending).toMatchObject(unanswered);
    wa.unmuteQueries();
    expect(await send(harness, message)).toEqual({ kind: 'accepted' });
  });

  it.runIf(isLongForm)(
    'is left alone for a while when the network refuses the message once more',
    async () => {
      const harness = await linked();
      const { wa, account, reader } = harness.network;
      const group = wa.group({ subject: 'Ours', members: [account, reader] });
      wa.refuseNextMessage(account, 421);
      wa.refuseNextMessage(account, 421);
      expect(await send(harness, aText(group.jid, true))).toMatchObject({
        kind: 'not_sent',
        retryAfterMs: 60_000,
      });
      expect(wa.sentMessages()).toHaveLength(2);
    },
  );
});
