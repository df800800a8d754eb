import { openLink } from '@trunkline/gateway-contract';
import type { LinkOptions, MemorySession } from '@trunkline/gateway-contract';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { holdArrivals, linked, patientClock, textOf } from './support/linked.ts';

describe('what was written while the WhatsApp gateway was away', () => {
  it('is reported after the next connection, each message once', async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    for (const text of ['one', 'two', 'three']) await wa.inbound(reader, account, text);
    const again = await open();
    await again.first('message', ({ message }) => textOf(message) === 'three');
    expect(again.all('message').map(({ message }) => textOf(message))).toEqual(['one', 'two', 'three']);
  });

  it('is reported before what is written once the number is back', async () => {
    const { network, session, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    for (const text of ['one', 'two', 'three']) await wa.inbound(reader, account, text);
    const storeArrivals = holdArrivals(session);
    const again = await open();
    await again.first('connected');
    await wa.inbound(reader, account, 'four');
    // The client confirms the receipt, which comes after the message.
    wa.receipt(account, { by: reader, type: 'read', ids: ['3EB0AAAAAAAAAAAA10'] });
    await eventually(() => {
      const acks = wa.transcript().filter(({ node }) => node.attrs['id'] === '3EB0AAAAAAAAAAAA10');
      expect(acks.map(({ direction }) => direction)).toContain('received');
    });
    storeArrivals();
    await eventually(() => expect(again.all('message')).toHaveLength(4));
    const texts = again.all('message').map(({ message }) => textOf(message));
    expect(texts).toEqual(['one', 'two', 'three', 'four']);
  });

  it('is read although its author has installed WhatsApp again since', async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    await wa.receiptFor(await wa.inbound(reader, account, 'zero'));
    await link.connection().close();
    for (const text of ['one', 'two']) await wa.inbound(reader, account, text);
    wa.reinstall(reader);
    await wa.inbound(reader, account, 'three');
    const again = await open();
    await eventually(() => expect(again.all('message')).toHaveLength(3));
    const texts = again.all('message').map(({ message }) => textOf(message));
    expect(texts).toEqual(['one', 'two', 'three']);
    expect(wa.receipts(account).filter(({ type }) => type === 'retry')).toEqual([]);
  });

  it.runIf(isLongForm)('is reported before the end of a connection that ends with it', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, 'the last words');
    await wa.receiptFor(id);
    wa.streamError(account, { code: 503 });
    await link.first('closed', ({ reason }) => reason.kind === 'dropped');
    expect(link.reports.slice(-2)).toMatchObject([
      { kind: 'message', message: { content: { text: 'the last words' } } },
      { kind: 'closed' },
    ]);
  });
});

describe('a message that is being stored when the connection ends', () => {
  it('is reported before the end', async () => {
    const { network, link, open } = await linked({ clock: patientClock() });
    const { wa, account, reader } = network;
    await link.connection().close();
    const storing = Promise.withResolvers<void>();
    const taking = ({ kind }: { kind: string }): Promise<void> =>
      kind === 'message' ? storing.promise : Promise.resolve();
    const slow = await open({ taking });
    await slow.first('groups');
    const id = await wa.inbound(reader, account, 'the last words');
    await wa.receiptFor(id);
    wa.drop(account);
    // Opening another connection takes long enough for the end of the slow one to have been noticed.
    await (await open()).first('connected');
    expect(slow.all('closed')).toEqual([]);
    storing.resolve();
    await slow.first('closed');
    // Restrictions are asked for meanwhile.
    const kinds = slow.reports.map(({ kind }) => kind).filter((kind) => kind !== 'restricted');
    expect(kinds).toEqual(['connected', 'groups', 'message', 'closed']);
  });
});

describe('a message that the service refuses', () => {
  it('is reported by the next connection, before what its author wrote after it', async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    const refusal = Promise.withResolvers<void>();
    const taken: ReturnType<typeof textOf>[] = [];
    const taking: LinkOptions['taking'] = async (report) => {
      if (report.kind !== 'message') return;
      const text = textOf(report.message);
      if (text === 'one') await refusal.promise;
      taken.push(text);
    };
    const refusing = await open({ taking });
    await refusing.first('connected');
    await wa.inbound(reader, account, 'one');
    await wa.receiptFor(await wa.inbound(reader, account, 'two'));
    refusal.reject(new Error('The contact was deleted.'));
    await refusing.first('closed');
    expect(taken).toEqual([]);
    const again = await open();
    await again.first('message', ({ message }) => textOf(message) === 'two');
    expect(again.all('message').map(({ message }) => textOf(message))).toEqual(['one', 'two']);
  });
});

describe('what a contact shows to everybody', () => {
  it.runIf(isLongForm)('is not asked for, nor anything of channels', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    for (const from of ['status@broadcast', '120363000000000009@newsletter']) {
      const enc = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: new Uint8Array(40) };
      const attrs = { id: `3A${from.length}`, from, participant: reader.jid, t: '1760000000', type: 'text' };
      wa.deliverStanza(account, { tag: 'message', attrs, content: [enc] });
    }
    await wa.inbound(reader, account, 'last');
    await link.first('message', ({ message }) => textOf(message) === 'last');
    expect(wa.receipts(account).filter(({ type }) => type === 'retry')).toEqual([]);
  });
});

describe('a message that cannot be read at first', () => {
  it('is reported once its sender has sent it again', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const networkId = await wa.inbound(reader, account, 'now you see me', { undecryptable: true });
    expect((await link.first('message')).message).toMatchObject({
      networkId,
      content: { text: 'now you see me' },
    });
    await wa.receiptFor(networkId, 'retry');
  });
});

describe('a message through a list of recipients that its sender has made', () => {
  it('is a message of that person, in no group, also if it could not be read at first, and can be edited', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const broadcastList = '1700000000';
    const id = await wa.inbound(reader, account, 'We open on Sunday', {
      broadcastList,
      undecryptable: true,
    });
    const { message } = await link.first('message');
    expect(textOf(message)).toBe('We open on Sunday');
    expect(message).toMatchObject({
      groupNetworkId: null,
      from: reader.phoneNumber,
      contact: { networkId: reader.lidJid },
    });
    const edit = { type: 'edit', id, text: 'We open on Monday' } as const;
    await wa.inbound(reader, account, edit, { broadcastList });
    expect((await link.first('activity')).activity).toMatchObject({
      kind: 'edit',
      about: id,
      text: 'We open on Monday',
      contact: { networkId: reader.lidJid },
    });
    await wa.inbound(reader, account, 'just you');
    const { message: direct } = await link.first(
      'message',
      (report) => textOf(report.message) === 'just you',
    );
    expect(direct.senderId).toBe(message.senderId);
    expect(link.all('message')).toHaveLength(2);
  });
});

describe('a sender whose number the network hides', () => {
  it.runIf(isLongForm)('has none, until we have written to it', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const hidden = wa.person('5511955554444', { hidesNumber: true });
    await wa.inbound(hidden, account, 'who am I?');
    const { message: first } = await link.first('message');
    expect(first).toMatchObject({ from: null, senderId: hidden.lidJid });

    const content = { type: 'text', text: 'are you?' } as const;
    const to = hidden.phoneNumber;
    await link.connection().send({ networkId: '3EB0AAAAAAAAAAAA09', to, isGroup: false, content });
    await wa.inbound(hidden, account, 'and now?');
    const { message: second } = await link.first('message', ({ message }) => textOf(message) === 'and now?');
    expect(second).toMatchObject({ from: '5511955554444', senderId: first.senderId });
  });

  it('has one where the message names both', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, 'hello');
    expect((await link.first('message')).message).toMatchObject({
      from: reader.phoneNumber,
      senderId: reader.lidJid,
    });
  });
});

describe('kinds of messages', () => {
  const bytes = new Uint8Array(2_000).fill(9);

  it.runIf(isLongForm)('takes a voice note for audio and a sticker for an image', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, {
      type: 'audio',
      mimeType: 'audio/ogg; codecs=opus',
      bytes,
      voiceNote: true,
    });
    expect((await link.first('message')).message.content).toMatchObject({
      type: 'audio',
      file: { mimeType: 'audio/ogg; codecs=opus' },
    });
    const stickerMessage = { mimetype: 'image/webp', directPath: '/v/s', mediaKey: new Uint8Array(32) };
    await wa.inbound(reader, account, { type: 'raw', message: { stickerMessage } });
    const isImage = ({ message }: { message: { content: { type: string } } }): boolean =>
      message.content.type === 'image';
    expect((await link.first('message', isImage)).message.content).toMatchObject({
      caption: null,
      file: { mimeType: 'image/webp' },
    });
  });

  it('looks into what wraps a text', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const message = { ephemeralMessage: { message: { extendedTextMessage: { text: 'gone in a week' } } } };
    await wa.inbound(reader, account, { type: 'raw', message });
    expect((await link.first('message')).message.content).toEqual({ type: 'text', text: 'gone in a week' });
  });

  it.runIf(isLongForm)('leaves out what no database can store', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, '\0');
    await wa.inbound(reader, account, 'a\0b');
    expect((await link.first('message')).message.content).toEqual({ type: 'text', text: 'ab' });
  });

  it('counts all others, and reports none of them', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, 'first');
    const key = { id, fromMe: true };
    const others = {
      pollUpdateMessage: { pollCreationMessageKey: key },
      pinInChatMessage: { key, type: 1 },
      protocolMessage: { type: 3, ephemeralExpiration: 86_400 },
    };
    for (const [kind, content] of Object.entries(others)) {
      await wa.inbound(reader, account, { type: 'raw', message: { [kind]: content } });
    }
    await wa.inbound(reader, account, 'last');
    await link.first('message', ({ message }) => textOf(message) === 'last');
    const counts = Object.fromEntries(Object.keys(others).map((kind) => [kind, 1]));
    await eventually(() => expect(Object.fromEntries(network.gateway.skipped())).toMatchObject(counts));
    expect(link.all('message').map(({ message }) => textOf(message))).toEqual(['first', 'last']);
    expect(link.all('activity')).toEqual([]);
  });
});

describe('a message that came without what it says', () => {
  it('is reported when the phone forwards it, and not reported as undecryptable', async () => {
    const { network, session, link } = await linked();
    const { wa, account, reader } = network;
    const id = wa.unavailable(reader, account, { type: null });
    await eventually(() => expect(left(session, 'unreadable')).toHaveLength(1));
    await wa.handOn(account, reader, id, 'here it is');
    expect((await link.first('message')).message).toMatchObject({
      networkId: id,
      from: reader.phoneNumber,
      contact: { name: 'Bob' },
      content: { text: 'here it is' },
    });
    await eventually(() => expect([...left(session, 'unreadable'), ...left(session, 'arrival')]).toEqual([]));
    await wa.inbound(reader, account, 'last');
    await link.first('message', ({ message }) => textOf(message) === 'last');
    expect(link.all('message')).toHaveLength(2);
    wa.takeProblems();
  });

  it.runIf(isLongForm)(
    "is reported again if the process ended after it acknowledged the phone's copy",
    async () => {
      const { network, session, link, open } = await linked();
      const { wa, account, reader } = network;
      await link.connection().close();
      const never = new Promise<never>(() => {});
      const taking = ({ kind }: { kind: string }): Promise<void> =>
        kind === 'message' ? never : Promise.resolve();
      const dying = await open({ taking });
      await dying.first('connected');
      const id = wa.unavailable(reader, account, { type: null });
      await eventually(() => expect(left(session, 'unreadable')).toHaveLength(1));
      for (const stanza of await wa.handOn(account, reader, id, 'do not lose me'))
        await wa.receiptFor(stanza);
      const kept = session.copy();
      await dying.connection().close();

      const after = await openLink(network.gateway, kept);
      expect((await after.first('message')).message).toMatchObject({
        networkId: id,
        from: reader.phoneNumber,
        content: { text: 'do not lose me' },
      });
      await after.connection().close();
      expect([...left(kept, 'unreadable'), ...left(kept, 'arrival')]).toEqual([]);
      wa.takeProblems();
    },
  );
});

function left({ values }: MemorySession, type: string): readonly string[] {
  return [...values.keys()].filter((name) => name.includes(type));
}

describe('a message that another process stored', () => {
  it.runIf(isLongForm)('is reported again if the process ended before it could be reported', async () => {
    const { network, session, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    const never = new Promise<never>(() => {});
    const taking = ({ kind }: { kind: string }): Promise<void> =>
      kind === 'message' ? never : Promise.resolve();
    const dying = await open({ taking });
    await dying.first('connected');
    const networkId = await wa.inbound(reader, account, 'do not lose me');
    // After our receipt, the network deletes the message.
    await wa.receiptFor(networkId);
    const kept = session.copy();
    await dying.connection().close();

    const after = await openLink(network.gateway, kept);
    expect((await after.first('message')).message).toMatchObject({
      networkId,
      from: reader.phoneNumber,
      content: { text: 'do not lose me' },
    });
    await after.connection().close();
    expect([...kept.values.keys()].filter((name) => name.includes('arrival'))).toEqual([]);
  });
});

it.runIf(isLongForm)('the WhatsApp gateway keeps nothing of messages that are stored', async () => {
  const { network, session, link } = await linked();
  const { wa, account, reader } = network;
  for (let i = 0; i < 5; i++) await wa.inbound(reader, account, `text ${i}`);
  await link.first('message', ({ message }) => textOf(message) === 'text 4');
  const left = (): readonly string[] => [...session.values.keys()].filter((name) => name.includes('arrival'));
  await eventually(() => expect(left()).toEqual([]));
});
