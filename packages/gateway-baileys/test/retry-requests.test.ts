import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { holdArrivals, hurriedClock, linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

/** The requests for this message: each one's count, and whether it brings keys for a new session. */
function requestsFor({ network: { wa } }: Linked, id: string) {
  return wa.transcript().flatMap(({ direction, node }) => {
    if (direction !== 'received' || node.tag !== 'receipt' || node.attrs['type'] !== 'retry') return [];
    if (node.attrs['id'] !== id) return [];
    const children = Array.isArray(node.content) ? node.content : [];
    const count = children.find(({ tag }) => tag === 'retry')?.attrs['count'];
    return [{ count, hasKeys: children.some(({ tag }) => tag === 'keys') }];
  });
}

const broken = { undecryptable: true, respondsToRetry: false } as const;

describe('a message that cannot be read', () => {
  it('holds back no other, even while a message to a group waits for keys', async () => {
    const { network, link } = await linked({ readsByItself: false });
    const { wa, account, reader } = network;
    const carol = wa.person('5511922221111');
    const texts = (): readonly (string | undefined)[] =>
      link.all('message').map(({ message }) => textOf(message));
    for (const person of [carol, reader]) await wa.inbound(person, account, `hello of ${person.phoneNumber}`);
    await eventually(() => expect(texts()).toHaveLength(2));
    const strangers = Array.from({ length: 3 }, (_, i) => wa.person(String(5511933330010 + i)));
    const group = wa.group({ subject: 'Team', members: [account, ...strangers] });
    wa.muteQueries('encrypt/get/key');
    let isSent = false;
    const message: OutgoingMessage = {
      networkId: '3EB0AAAAAAAAAAAAAAAA01',
      to: group.jid,
      isGroup: true,
      content: { type: 'text', text: 'to all' },
    };
    void link
      .connection()
      .send(message)
      .then(() => (isSent = true));
    await eventually(() => expect(wa.transcriptText()).toContain('<key > <user '));
    const id = await wa.inbound(reader, account, 'broken', broken);
    await wa.receiptFor(id, 'retry');
    await wa.inbound(carol, account, 'is anybody there?');
    await link.first('message', ({ message: received }) => textOf(received) === 'is anybody there?');
    expect(isSent).toBe(false);
  });

  it('is asked for four times at most, from the second time on with keys for a new session', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, link } = harness;
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, 'broken', broken);
    for (let time = 2; time <= 6; time += 1) await wa.inbound(reader, account, 'broken', { id, ...broken });
    await wa.inbound(reader, account, 'readable');
    await link.first('message', ({ message }) => textOf(message) === 'readable');
    await eventually(() =>
      expect(requestsFor(harness, id)).toEqual([
        { count: '1', hasKeys: false },
        { count: '2', hasKeys: true },
        { count: '3', hasKeys: true },
        { count: '4', hasKeys: true },
      ]),
    );
    expect(wa.takeProblems()).toEqual([]);
  });

  it('is asked for once more by the next connection', async () => {
    const harness = await linked({ readsByItself: false });
    const { network, link, open } = harness;
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, 'broken', broken);
    await wa.receiptFor(id, 'retry');
    await link.connection().close();
    const again = await open();
    await again.first('connected');
    const asked = [
      { count: '1', hasKeys: false },
      { count: '2', hasKeys: true },
    ];
    await eventually(() => expect(requestsFor(harness, id)).toEqual(asked));
    await wa.inbound(reader, account, 'read at last', { id });
    await again.first('message', ({ message }) => textOf(message) === 'read at last');
    await again.connection().close();
    await (await open()).first('connected');
    await wa.inbound(reader, account, 'next');
    expect(requestsFor(harness, id)).toEqual(asked);
  });

  it('is not reported as such if another copy was read', async () => {
    const { network, session, link, open } = await linked({ readsByItself: false });
    const { wa, account, reader } = network;
    await link.connection().close();
    const storeArrivals = holdArrivals(session);
    const again = await open();
    await again.first('connected');
    const id = await wa.inbound(reader, account, 'readable');
    await wa.inbound(reader, account, 'broken', { id, ...broken });
    storeArrivals();
    await again.first('message', ({ message }) => textOf(message) === 'readable');
    await wa.inbound(reader, account, 'next');
    await again.first('message', ({ message }) => textOf(message) === 'next');
    expect([...session.values.keys()].filter((name) => name.includes('unreadable'))).toEqual([]);
  });

  it('is asked for as often as its sender says that it was, since another process may have done it', async () => {
    const harness = await linked({ readsByItself: false });
    const { wa, account, reader } = harness.network;
    const sentAgain = (id: string, count: string): void =>
      wa.deliverStanza(account, {
        tag: 'message',
        attrs: { id, from: reader.lidJid ?? '', type: 'text', t: String(Math.floor(Date.now() / 1_000)) },
        content: [{ tag: 'enc', attrs: { v: '2', type: 'msg', count }, content: Buffer.alloc(64) }],
      });
    sentAgain('3A0001', '4');
    sentAgain('3A0002', '2');
    await eventually(() => expect(requestsFor(harness, '3A0002')).toEqual([{ count: '3', hasKeys: true }]));
    expect(requestsFor(harness, '3A0001')).toEqual([]);
  });

  it.runIf(isLongForm)('is asked of the phone of the number when its sender stays silent', async () => {
    const harness = await linked({ readsByItself: false, clock: hurriedClock() });
    const { wa, account, reader } = harness.network;
    const toOwnPhone = (): number =>
      wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.attrs['category'] === 'peer')
        .length;
    const before = toOwnPhone();
    await wa.inbound(reader, account, 'broken', broken);
    await eventually(() => expect(toOwnPhone()).toBe(before + 1));
  });
});
