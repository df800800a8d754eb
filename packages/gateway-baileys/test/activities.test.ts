import type { Activity } from '@trunkline/core/spi/gateway';
import { openLink } from '@trunkline/gateway-contract';
import type { TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { baileysGateway } from '@trunkline/gateway-baileys';
import type { BaileysGateway } from '@trunkline/gateway-baileys';
import { leapingClock, linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

type OfKind<Kind extends Activity['kind']> = Extract<Activity, { kind: Kind }>;

async function activity<Kind extends Activity['kind']>(
  link: TestLink,
  kind: Kind,
  holds: (activity: OfKind<Kind>) => boolean = () => true,
): Promise<OfKind<Kind>> {
  const isIt = (found: Activity): found is OfKind<Kind> =>
    found.kind === kind && holds(found as OfKind<Kind>); // narrowed by `kind`
  const report = await link.first('activity', (candidate) => isIt(candidate.activity));
  if (!isIt(report.activity)) throw new Error('The report is not of the expected kind.');
  return report.activity;
}

/** A gateway as another process has it: with nothing in memory. */
function anotherGateway({ network }: Linked): BaileysGateway {
  const gateway = baileysGateway({ socket: { waWebSocketUrl: network.wa.client.waWebSocketUrl } });
  gateway.attach({ clock: systemClock(), random: systemRandom(), logger: silentLogger });
  return gateway;
}

async function settled({ network, link }: Linked): Promise<void> {
  const text = `marker ${crypto.randomUUID()}`;
  await network.wa.inbound(network.reader, network.account, text);
  await link.first('message', ({ message }) => textOf(message) === text);
}

describe('what the owner of the number writes on the phone', () => {
  it('is reported with its recipient, and is not a message to the instance', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const networkId = await wa.fromPhone(account, reader, 'typed by hand');
    expect(await activity(harness.link, 'echo')).toEqual({
      kind: 'echo',
      networkId,
      to: reader.phoneNumber,
      groupNetworkId: null,
      contact: {
        networkId: reader.lidJid,
        aliases: [reader.jid],
        phoneNumber: reader.phoneNumber,
        name: null,
        username: null,
      },
      sentAt: expect.any(Number),
      replyTo: null,
      content: { type: 'text', text: 'typed by hand' },
    });
    const hidden = wa.person('5511955550004', { hidesNumber: true, username: 'ann' });
    await wa.fromPhone(account, hidden, 'to a hidden number');
    expect(await activity(harness.link, 'echo', ({ to }) => to === null)).toMatchObject({
      contact: { networkId: hidden.lidJid, aliases: [], phoneNumber: null, username: 'ann' },
    });
    await settled(harness);
    expect(harness.link.all('message')).toHaveLength(1);
  });

  it.runIf(isLongForm)('is reported in groups, and with its file', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    await wa.fromPhone(account, group, 'to all');
    expect(await activity(harness.link, 'echo')).toMatchObject({
      to: null,
      contact: null,
      groupNetworkId: group.jid,
      content: { text: 'to all' },
    });
    const bytes = new TextEncoder().encode('the bill');
    await wa.fromPhone(account, reader, { type: 'document', mimeType: 'text/plain', bytes });
    const { content } = await activity(harness.link, 'echo', (echo) => echo.content.type === 'document');
    if (content.type === 'text') throw new Error('The message has no file.');
    const stream = await content.file.open();
    expect(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text()).toBe('the bill'); // fetch requires this type
  });

  it.runIf(isLongForm)('is never what the instance itself has sent', async () => {
    const harness = await linked();
    const content = { type: 'text', text: 'from the API' } as const;
    const message = {
      networkId: '3EB0AAAAAAAAAAAA12',
      to: harness.network.reader.phoneNumber,
      isGroup: false,
    };
    expect(await harness.link.connection().send({ ...message, content })).toEqual({ kind: 'accepted' });
    await settled(harness);
    expect(harness.link.all('activity')).toEqual([]);
  });
});

describe('a reaction', () => {
  it('names the message, its author and the emoji, or that it was taken back', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const theirs = await wa.inbound(reader, account, 'hello');
    const contact = { networkId: reader.lidJid, phoneNumber: reader.phoneNumber, name: 'Bob' };
    const react = (id: string, fromMe: boolean, text: string): Promise<string> =>
      wa.inbound(reader, account, { type: 'reaction', text, to: { remoteJid: account.lidJid, id, fromMe } });

    await react('3EB0AAAAAAAAAAAA13', false, '👍');
    expect(await activity(link, 'reaction')).toMatchObject({
      about: '3EB0AAAAAAAAAAAA13',
      author: null,
      emoji: '👍',
      own: false,
      groupNetworkId: null,
      contact,
      at: expect.any(Number),
    });
    await react(theirs, true, '');
    expect(await activity(link, 'reaction', ({ about }) => about === theirs)).toMatchObject({
      author: reader.lidJid,
      emoji: null,
    });
    await wa.fromPhone(account, reader, {
      type: 'reaction',
      text: '🙏',
      to: { remoteJid: reader.lidJid, id: theirs, fromMe: false },
    });
    expect(await activity(link, 'reaction', ({ own }) => own)).toMatchObject({
      about: theirs,
      author: reader.lidJid,
      emoji: '🙏',
      contact: { networkId: reader.lidJid },
    });
  });

  it.runIf(isLongForm)('names the author of the message in a group', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const ann = wa.person('5511955550005', { name: 'Ann' });
    const group = wa.group({ subject: 'Team', members: [reader, ann, account] });
    const id = await wa.inbound(ann, account, 'hi', { group });
    const about = (participant: string | null): object => ({
      remoteJid: group.jid,
      id,
      fromMe: false,
      participant,
    });
    for (const [text, jid] of [
      ['1', ann.jid],
      ['2', ann.lidJid],
      ['3', account.lidJid],
    ] as const) {
      await wa.inbound(reader, account, { type: 'reaction', text, to: about(jid) }, { group });
    }
    await activity(link, 'reaction', ({ emoji }) => emoji === '3');
    const authors = link.all('activity').map(({ activity: one }) => one.kind === 'reaction' && one.author);
    expect(authors).toEqual([ann.lidJid, ann.lidJid, null]);
  });
});

describe('an edit', () => {
  it.runIf(isLongForm)(
    'brings the new text or caption, and names its author alone as the author',
    async () => {
      const { network, link } = await linked();
      const { wa, account, reader } = network;
      const id = await wa.inbound(reader, account, 'helo');
      await wa.inbound(reader, account, { type: 'edit', id, text: 'hello' });
      expect(await activity(link, 'edit')).toMatchObject({
        about: id,
        author: reader.lidJid,
        text: 'hello',
        own: false,
        contact: { networkId: reader.lidJid },
      });
      const key = { id, fromMe: true };
      const editedMessage = { imageMessage: { caption: 'the garden' } };
      const protocolMessage = { key, type: 14, editedMessage };
      await wa.inbound(reader, account, { type: 'raw', message: { protocolMessage } });
      await activity(link, 'edit', ({ text }) => text === 'the garden');
      await wa.fromPhone(account, reader, { type: 'edit', id: 'OURS', text: 'as we meant it' });
      expect(await activity(link, 'edit', ({ own }) => own)).toMatchObject({ about: 'OURS', author: null });
    },
  );

  it('waits until the message that it changes is stored', async () => {
    const { network, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    const storing = Promise.withResolvers<void>();
    const taking = ({ kind }: { kind: string }): Promise<void> =>
      kind === 'message' ? storing.promise : Promise.resolve();
    const slow = await open({ taking });
    await slow.first('groups');
    const bytes = new Uint8Array(10);
    const id = await wa.inbound(reader, account, {
      type: 'document',
      mimeType: 'text/plain',
      bytes,
      caption: 'a',
    });
    await wa.inbound(reader, account, { type: 'edit', id, text: 'b' });
    await wa.inbound(reader, account, { type: 'reaction', text: '👍', to: { id: 'OTHER', fromMe: false } });
    await activity(slow, 'reaction');
    expect(slow.all('activity').map(({ activity: { kind } }) => kind)).toEqual(['reaction']);
    storing.resolve();
    await activity(slow, 'edit');
    expect(
      slow.reports
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'groups')
        .slice(-2),
    ).toEqual(['message', 'activity']);
  });
});

describe('an edit that the app of its author has encrypted', () => {
  it('is opened after a restart, too, though the network names the author otherwise now', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const id = await wa.inbound(reader, account, 'the price is 100');
    await harness.link.first('message');
    await harness.link.connection().close();
    const sealed = await wa.inbound(
      reader,
      account,
      { type: 'edit', id, text: 'the price is 1000' },
      { addressing: 'pn' },
    );
    const again = await openLink(anotherGateway(harness), harness.session.copy());
    expect(await activity(again, 'edit')).toMatchObject({
      about: id,
      author: reader.lidJid,
      text: 'the price is 1000',
    });
    await wa.receiptFor(sealed);
    await again.connection().close();
  });

  it('is opened in a group, and of the owner of the number', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    const id = await wa.inbound(reader, account, 'helo', { group });
    await wa.inbound(reader, account, { type: 'edit', id, text: 'hello' }, { group });
    expect(await activity(link, 'edit')).toMatchObject({
      about: id,
      groupNetworkId: group.jid,
      text: 'hello',
    });
    const own = await wa.fromPhone(account, reader, 'by hand');
    await wa.fromPhone(account, reader, { type: 'edit', id: own, text: 'typed by hand' });
    expect(await activity(link, 'edit', ({ own: isOwn }) => isOwn)).toMatchObject({
      about: own,
      text: 'typed by hand',
    });
  });

  it('is counted and logged, once, if it cannot be opened', async () => {
    const logged: unknown[] = [];
    const logger = { ...silentLogger, warn: (...args: readonly unknown[]) => void logged.push(args) };
    const harness = await linked({ logger });
    const { wa, account, reader, gateway } = harness.network;
    const id = await wa.inbound(reader, account, 'hello');
    const sealed = { encPayload: new Uint8Array(40), encIv: new Uint8Array(12), secretEncType: 2 };
    for (const target of ['from before the link', id]) {
      const secretEncryptedMessage = { ...sealed, targetMessageKey: { id: target, fromMe: true } };
      await wa.inbound(reader, account, { type: 'raw', message: { secretEncryptedMessage } });
    }
    await settled(harness);
    await eventually(() => expect(gateway.skipped().get('secretEncryptedMessage')).toBe(2));
    expect(logged).toEqual([
      [expect.objectContaining({ reason: expect.stringContaining('is not known') }), expect.any(String)],
      [expect.objectContaining({ reason: expect.stringContaining('does not fit') }), expect.any(String)],
    ]);
    expect(harness.link.all('activity')).toEqual([]);
  });
});

describe('a deletion', () => {
  it('is accepted from the author, or from the owner of the number', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, 'oops');
    await wa.inbound(reader, account, { type: 'delete', id });
    expect(await activity(link, 'deletion')).toMatchObject({ about: id, author: reader.lidJid, own: false });
    await wa.fromPhone(account, reader, { type: 'delete', id: 'OURS' });
    expect(await activity(link, 'deletion', ({ own }) => own)).toMatchObject({ about: 'OURS', author: null });
  });

  it.runIf(isLongForm)('in a group is by the author or an admin, and by nobody else', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    const ann = wa.person('5511955550006', { name: 'Ann' });
    const group = wa.group({ subject: 'Team', members: [reader, ann, account], admins: [ann] });
    const id = await wa.inbound(reader, account, 'rude', { group });
    const ours = { type: 'delete', id: 'OURS', author: account.lidJid ?? '' } as const;
    await wa.inbound(reader, account, ours, { group });
    await wa.inbound(ann, account, { type: 'delete', id, author: reader.lidJid ?? '' }, { group });
    expect(await activity(harness.link, 'deletion')).toMatchObject({
      about: id,
      author: reader.lidJid,
      contact: { networkId: ann.lidJid },
    });
    await eventually(() => expect(gateway.skipped().get('refused_deletion')).toBe(1));
    await wa.inbound(ann, account, ours, { group });
    expect(await activity(harness.link, 'deletion', ({ about }) => about === 'OURS')).toMatchObject({
      author: null,
    });
  });
});

describe('a message that nobody here can read', () => {
  it('is reported when its sender’s phone has not sent it again in time', async () => {
    const clock = leapingClock();
    const { network, link } = await linked({ clock });
    const { wa, account, reader } = network;
    clock.leap();
    const id = await wa.inbound(reader, account, 'noise', { undecryptable: true, respondsToRetry: false });
    expect(await activity(link, 'undecryptable')).toMatchObject({
      networkId: id,
      senderId: reader.lidJid,
      groupNetworkId: null,
      contact: { networkId: reader.lidJid, name: 'Bob' },
      sentAt: expect.any(Number),
      reason: 'no_key',
    });
    expect(link.all('message')).toEqual([]);
  });

  it.runIf(isLongForm)(
    'is reported by the next process where the first one ended, and not once it could be read',
    async () => {
      const clock = leapingClock();
      const { network, session, link } = await linked({ clock });
      const { wa, account, reader } = network;
      const lost = await wa.inbound(reader, account, 'lost', { undecryptable: true, respondsToRetry: false });
      const read = await wa.inbound(reader, account, 'read at last', { undecryptable: true });
      await link.first('message', ({ message }) => message.networkId === read);
      await wa.receiptFor(lost, 'retry');
      const kept = session.copy();
      await link.connection().close();
      clock.leap();
      const next = await openLink(network.gateway, kept);
      expect(await activity(next, 'undecryptable')).toMatchObject({ networkId: lost });
      await eventually(() =>
        expect([...kept.values.keys()].filter((name) => name.includes('unreadable'))).toEqual([]),
      );
      expect(next.all('activity')).toHaveLength(1);
      await next.connection().close();
    },
  );

  it.runIf(isLongForm)('is reported immediately if it may be viewed once, on the phone', async () => {
    const harness = await linked();
    const { wa, account, reader, gateway } = harness.network;
    for (const type of ['view_once', 'view_once_unavailable_fanout']) {
      const networkId = wa.unavailable(reader, account, { type });
      const isIt = (found: OfKind<'undecryptable'>): boolean => found.networkId === networkId;
      expect(await activity(harness.link, 'undecryptable', isIt)).toMatchObject({
        reason: 'view_once',
        contact: { networkId: reader.lidJid },
      });
    }
    wa.unavailable(reader, account, { type: 'bot_unavailable_fanout' });
    await settled(harness);
    expect(gateway.skipped().get('unavailable')).toBe(1);
    expect(harness.link.all('activity')).toHaveLength(2);
  });

  it.runIf(isLongForm)('is waited for where the network does not say why it is not there', async () => {
    const clock = leapingClock();
    const { network, link } = await linked({ clock });
    clock.leap();
    const networkId = network.wa.unavailable(network.reader, network.account, { type: null });
    expect(await activity(link, 'undecryptable')).toMatchObject({ networkId, reason: 'no_key' });
    network.wa.takeProblems();
  });
});

describe('a call', () => {
  it('is reported once, with its caller', async () => {
    const harness = await linked();
    const { wa, account, reader } = harness.network;
    const id = wa.call(reader, account, { video: true });
    wa.call(reader, account, { id });
    expect(await activity(harness.link, 'call')).toEqual({
      kind: 'call',
      networkId: id,
      contact: {
        networkId: reader.lidJid,
        aliases: [reader.jid],
        phoneNumber: reader.phoneNumber,
        name: 'Bob',
        username: null,
      },
      groupNetworkId: null,
      video: true,
      at: expect.any(Number),
    });
    await settled(harness);
    expect(harness.link.all('activity')).toHaveLength(1);
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    wa.call(reader, account, { group });
    expect(
      await activity(harness.link, 'call', ({ groupNetworkId }) => groupNetworkId !== null),
    ).toMatchObject({
      groupNetworkId: group.jid,
      video: false,
      contact: { networkId: reader.lidJid },
    });
  });
});

describe('what happens in a chat', () => {
  it.each(isLongForm ? ['a reaction', 'a call', 'an echo'] : ['a reaction'])(
    'is reported again, %s too, until it was taken',
    async (what) => {
      const { network, link, open } = await linked();
      const { wa, account, reader } = network;
      await link.connection().close();
      const offered = Promise.withResolvers<void>();
      const taking = async ({ kind }: { kind: string }): Promise<void> => {
        if (kind !== 'activity') return;
        offered.resolve();
        throw new Error('The storage is out of reach.');
      };
      const refusing = await open({ taking });
      await refusing.first('connected');
      if (what === 'a reaction')
        await wa.inbound(reader, account, {
          type: 'reaction',
          text: '👍',
          to: { id: 'OURS', fromMe: false },
        });
      if (what === 'a call') wa.call(reader, account);
      if (what === 'an echo') await wa.fromPhone(account, reader, 'by hand');
      await offered.promise;
      await refusing.first('closed');
      await refusing.connection().close();
      const again = await open();
      await again.first('activity');
      expect(again.all('activity')).toHaveLength(1);
    },
  );

  it.runIf(isLongForm)('is written down before the network gets our acknowledgement of it', async () => {
    const { network, session, link, open } = await linked();
    const { wa, account, reader } = network;
    await link.connection().close();
    const never = new Promise<never>(() => {});
    const taking = ({ kind }: { kind: string }): Promise<void> =>
      kind === 'activity' ? never : Promise.resolve();
    const dying = await open({ taking });
    await dying.first('connected');
    const id = await wa.inbound(reader, account, 'first');
    const edit = await wa.inbound(reader, account, { type: 'edit', id, text: 'second' });
    await wa.receiptFor(edit);
    const kept = session.copy();
    await dying.connection().close();
    const after = await openLink(network.gateway, kept);
    expect(await activity(after, 'edit')).toMatchObject({ about: id, text: 'second' });
    await after.connection().close();
    expect([...kept.values.keys()].filter((name) => name.includes('arrival'))).toEqual([]);
  });
});
