import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { openLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linked, nextProcess, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

function responsesTo({ network }: Linked, id: string) {
  return network.wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['id'] === id)
    .map(({ node }) => ({ tag: node.tag, error: node.attrs['error'] }));
}

async function textsUntil({ link }: Pick<Linked, 'link'>, last: string): Promise<readonly unknown[]> {
  await link.first('message', ({ message }) => textOf(message) === last);
  return link.all('message').map(({ message }) => textOf(message));
}

const REFUSED = ['plaintext', 'status', 'channel_post', 'bot_response'] as const;

describe('what is not a message of the API', () => {
  it.each(isLongForm ? REFUSED : REFUSED.slice(0, 1))(
    'a %s is acknowledged without an error, counted, and never becomes a message',
    async (kind) => {
      const harness = await linked();
      const { wa, account, reader, gateway } = harness.network;
      const ids = {
        status: () => wa.status(reader, account, 'my day'),
        channel_post: () => wa.channelPost(account, 'news'),
        plaintext: () => wa.plaintext(reader, account, 'send me the code'),
        bot_response: () => {
          const attrs = { id: 'METAAI1', from: '867051314767696@bot', t: '1795966000', type: 'text' };
          const enc = { tag: 'enc', attrs: { v: '2', type: 'msmsg' }, content: Buffer.from('0a0b0c', 'hex') };
          wa.deliverStanza(account, { tag: 'message', attrs, content: [enc] });
          return attrs.id;
        },
      };
      const id = await ids[kind]();
      await wa.inbound(reader, account, 'last');
      expect(await textsUntil(harness, 'last')).toEqual(['last']);
      await eventually(() => expect(responsesTo(harness, id)).toEqual([{ tag: 'ack', error: undefined }]));
      expect(gateway.skipped().get(kind)).toBe(1);
    },
  );

  it('a plain text in a notification of a person is refused, too', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    wa.deliverStanza(account, {
      tag: 'notification',
      attrs: { id: 'forged', type: 'newsletter', from: reader.jid, t: '1' },
      content: [
        {
          tag: 'message',
          attrs: { message_id: '1', t: '1' },
          content: [{ tag: 'plaintext', attrs: {}, content: Buffer.from([0x0a, 3, 0x66, 0x6f, 0x6f]) }],
        },
      ],
    });
    await wa.inbound(reader, account, 'last');
    expect(await textsUntil(harness, 'last')).toEqual(['last']);
    expect(gateway.skipped().get('plaintext')).toBe(1);
  });

  it.runIf(isLongForm)('holds nothing back where the network keeps what a client refuses', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    wa.keepRefused();
    const ids = [
      await wa.status(reader, account, 'my day'),
      wa.channelPost(account, 'news'),
      wa.plaintext(reader, account, 'send me the code'),
    ];
    for (const id of ids) await eventually(() => expect(responsesTo(harness, id)).toHaveLength(1));
    await wa.inbound(reader, account, 'online');
    await textsUntil(harness, 'online');

    await harness.link.connection().close();
    await wa.status(reader, account, 'my night');
    await wa.inbound(reader, account, 'while away');
    const link = await harness.open();
    expect(await textsUntil({ link }, 'while away')).toEqual(['while away']);
  });
});

describe('a message that the network repeats', () => {
  it('is confirmed and not reported again, on this connection and the next, and holds nothing back', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    wa.keepRefused();
    const id = await wa.inbound(reader, account, 'once');
    await textsUntil(harness, 'once');
    wa.redeliver(account, id);
    await eventually(() => expect(responsesTo(harness, id)).toHaveLength(2));
    await wa.inbound(reader, account, 'online');
    expect(await textsUntil(harness, 'online')).toEqual(['once', 'online']);

    await harness.link.connection().close();
    wa.redeliver(account, id);
    await wa.inbound(reader, account, 'while away');
    const link = await harness.open();
    expect(await textsUntil({ link }, 'while away')).toEqual(['while away']);
    expect(responsesTo(harness, id)).toEqual(
      Array.from({ length: 3 }, () => ({ tag: 'receipt', error: undefined })),
    );
    expect(gateway.skipped().get('repeat')).toBe(2);
  });
});

describe('a message that the network repeats after a restart', () => {
  it('is confirmed and not reported again, whichever key it was encrypted with, and holds nothing back', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    wa.keepRefused();
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    const ids = [
      await wa.inbound(reader, account, 'first of a session'),
      await wa.inbound(reader, account, 'second of a session'),
    ];
    await textsUntil(harness, 'second of a session');
    expect(await harness.link.connection().send(aReply(reader.phoneNumber))).toEqual({ kind: 'accepted' });
    ids.push(await wa.inbound(reader, account, 'after a reply'));
    ids.push(await wa.inbound(reader, account, 'in a group', { group }));
    await textsUntil(harness, 'in a group');
    await harness.link.connection().close();

    for (const id of ids) wa.redeliver(account, id);
    await wa.inbound(reader, account, 'while away');
    const next = nextProcess(harness.network);
    const link = await openLink(next, harness.session);
    onTestFinished(() => link.connection().close());
    expect(await textsUntil({ link }, 'while away')).toEqual(['while away']);
    for (const id of ids) {
      expect(responsesTo(harness, id)).toEqual([RECEIPT, RECEIPT]);
    }
    expect(next.skipped().get('repeat')).toBe(4);
    expect(gateway.skipped().get('repeat')).toBeUndefined();
  });
});

describe('a message of a group that could not be read, and that the network repeats', () => {
  it('is reported when its copy comes, though the key that came with it was read the first time', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    const options = { id: '3AFA0001', group };
    await wa.inbound(reader, account, 'damaged', { ...options, undecryptable: true, respondsToRetry: false });
    await wa.receiptFor(options.id, 'retry');
    wa.redeliver(account, options.id);
    await eventually(() => expect(wa.receipts().filter(({ type }) => type === 'retry')).toHaveLength(2));
    await wa.inbound(reader, account, 'readable', options);
    expect(await textsUntil(harness, 'readable')).toEqual(['readable']);
    expect(gateway.skipped().get('repeat')).toBeUndefined();
  });
});

const RECEIPT = { tag: 'receipt', error: undefined };

function aReply(to: string): OutgoingMessage {
  return {
    networkId: '3EB0AAAAAAAAAAAAAAAAAA',
    to,
    isGroup: false,
    content: { type: 'text', text: 'Hello' },
  };
}

describe('what waited for a connection', () => {
  it('comes whole and in order, though the network hands it out in batches', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    await harness.link.connection().close();
    const texts = Array.from({ length: 230 }, (_, i) => `text ${i}`);
    for (const text of texts) await wa.inbound(reader, account, text);
    const link = await harness.open();
    expect(await textsUntil({ link }, texts.at(-1) ?? '')).toEqual(texts);
  });
});
