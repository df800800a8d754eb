import type { OutgoingMessage, SendOutcome } from '@trunkline/core/spi/gateway';
import type { Account, Person } from '@trunkline/fake-whatsapp';
import type { TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { linked, textOf, unlinked, untilHistoryIsRead } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

const DAY = 86_400_000;
const REFUSED = { kind: 'refused', error: { code: 'account_restricted' } };

/**
 * Tokens are counted by weeks that begin on Thursdays. These tests start on a Sunday, so that no week begins during
 * them.
 */
const SUNDAY = Date.parse('2026-11-22T12:00:00Z');
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: SUNDAY, shouldAdvanceTime: true });
});
afterAll(() => {
  vi.useRealTimers();
});

let ids = 0;

function aText(to: string): OutgoingMessage {
  const networkId = `3EB3${String((ids += 1)).padStart(18, '0')}`;
  return { networkId, to, isGroup: false, content: { type: 'text', text: 'Hello' } };
}

const send = (link: TestLink, { phoneNumber }: Person): Promise<SendOutcome> =>
  link.connection().send(aText(phoneNumber));

const someone = ({ network }: Linked, needsToken = true): Person =>
  network.wa.person('5511944443333', { needsToken });

/** Once the client has acknowledged a stanza, the network does not repeat it. */
function untilAcknowledged({ network }: Linked, id: string): Promise<void> {
  return eventually(() => {
    const acks = network.wa
      .transcript()
      .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack');
    expect(acks.map(({ node }) => node.attrs['id'])).toContain(id);
  });
}

const storedTokens = ({ session }: Linked): readonly string[] =>
  [...session.values.keys()].filter((name) => name.startsWith('key.tctoken.'));

describe('a person to whom WhatsApp requires a token', () => {
  it('is written to once they have written', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    const stranger = someone(harness);
    expect(await send(harness.link, stranger)).toMatchObject(REFUSED);
    await wa.inbound(stranger, account, 'Who is it?');
    await harness.link.first('message', ({ message }) => textOf(message) === 'Who is it?');
    await eventually(() => expect(storedTokens(harness)).toHaveLength(1));
    expect(await send(harness.link, stranger)).toEqual({ kind: 'accepted' });
    expect(wa.inbox(stranger)).toHaveLength(1);
  });

  it.each<'lid' | 'pn'>(isLongForm ? ['lid', 'pn'] : ['lid'])(
    'is written to after a restart, with a token that came by %s while nobody had asked who that is',
    async (addressing) => {
      const harness = await linked();
      const { wa, account } = harness.network;
      const friend = someone(harness);
      await untilAcknowledged(harness, wa.giveToken(friend, account, { addressing }));
      // Only stored data is left after this.
      wa.drop(account);
      await harness.link.connection().close();
      const again = await harness.open();
      await again.first('connected');
      expect(await send(again, friend)).toEqual({ kind: 'accepted' });
    },
  );

  it.runIf(isLongForm)(
    'is written to with a token that came while the instance was not connected',
    async () => {
      const harness = await linked();
      const { wa, account } = harness.network;
      const friend = someone(harness);
      await harness.link.connection().close();
      const id = wa.giveToken(friend, account);
      const again = await harness.open();
      await again.first('connected');
      await untilAcknowledged(harness, id);
      expect(await send(again, friend)).toEqual({ kind: 'accepted' });
    },
  );

  it('is not written to with a token that is too old, until there is another', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    const friend = someone(harness);
    const givenAt = Date.now() - 28 * DAY;
    await untilAcknowledged(harness, wa.giveToken(friend, account, { givenAt }));
    expect(await send(harness.link, friend)).toMatchObject(REFUSED);
    await untilAcknowledged(harness, wa.giveToken(friend, account));
    await untilAcknowledged(harness, wa.giveToken(friend, account, { givenAt: Date.now() - 27 * DAY }));
    expect(await send(harness.link, friend)).toEqual({ kind: 'accepted' });
  });

  it.runIf(isLongForm)('leaves nothing behind when the token is too old and nothing was sent', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    const friend = someone(harness);
    await untilAcknowledged(harness, wa.giveToken(friend, account, { givenAt: Date.now() - 30 * DAY }));
    expect(storedTokens(harness)).toEqual([`key.tctoken.${String(friend.lidJid)}`]);
    await harness.link.connection().close();
    await (await harness.open()).first('connected');
    await eventually(() => expect(storedTokens(harness)).toEqual([]));
  });
});

/** Links a number after `before` has prepared its phone. Unlike `linked`, waits for nothing else. */
async function linkedAfter(
  before: (network: Linked['network'], account: Account) => void | Promise<void>,
): Promise<Linked> {
  const harness = await unlinked({ before: (network) => before(network, network.account) });
  const { network } = harness;
  const link = await harness.open();
  network.wa.scanQr(network.account, (await link.first('qr')).code);
  await link.first('connected');
  return { ...harness, link };
}

describe('an account whose phone has been in use before it was linked', () => {
  it.each<'lid' | 'pn'>(['lid', 'pn'])(
    'writes to its customers with the tokens in the history, where chats are named by %s',
    async (addressing) => {
      const harness = await linkedAfter(({ wa }, account) => {
        wa.fillPhone(account, isLongForm ? 10_000 : 500);
        wa.wroteBefore(wa.person('5511944443333', { needsToken: true }), account, { addressing });
      });
      const customer = { phoneNumber: '5511944443333' };
      const message = aText(customer.phoneNumber);
      await untilHistoryIsRead(harness);
      expect(await harness.link.connection().send(message)).toEqual({ kind: 'accepted' });
    },
  );

  it('writes to a customer immediately after the link: the message waits for the history', async () => {
    const harness = await linkedAfter(({ wa }, account) =>
      wa.wroteBefore(wa.person('5511944443333', { needsToken: true }), account),
    );
    expect(await harness.link.connection().send(aText('5511944443333'))).toEqual({ kind: 'accepted' });
  });

  it('reads the history on the next connection if it could not do so before', async () => {
    const harness = await linkedAfter(async ({ wa }, account) => {
      wa.wroteBefore(wa.person('5511944443333', { needsToken: true }), account);
      await wa.setMediaHosts('down');
    });
    const { network, session, link, open } = harness;
    const waiting = (): number =>
      [...session.values.keys()].filter((name) => name.includes('history')).length;
    await eventually(() => expect([session.values.has('key.nct-salt.own'), waiting()]).toEqual([true, 1]));
    await link.connection().close();
    await network.wa.setMediaHosts('up');
    const again = await open();
    await again.first('connected');
    await untilHistoryIsRead(harness);
    expect(await again.connection().send(aText('5511944443333'))).toEqual({ kind: 'accepted' });
  });

  it('writes to a stranger with a token of its own, after a restart too', async () => {
    const harness = await linkedAfter(({ wa }) => {
      wa.person('5511944443333', { needsToken: 'any' });
      wa.person('5511944442222', { needsToken: 'any' });
    });
    const { wa } = harness.network;
    await untilHistoryIsRead(harness);
    expect(await harness.link.connection().send(aText('5511944443333'))).toEqual({ kind: 'accepted' });
    await harness.link.connection().close();
    const again = await harness.open();
    await again.first('connected');
    expect(await again.connection().send(aText('5511944442222'))).toEqual({ kind: 'accepted' });
    expect(wa.sentMessages().map(({ refused }) => refused)).toEqual([null, null]);
  });

  it('makes that token of the salt that the devices of the account share, when it changes and when it is removed', async () => {
    const harness = await linkedAfter(() => {});
    const { wa, account } = harness.network;
    await untilHistoryIsRead(harness);
    const strangers = ['5511944443331', '5511944443332', '5511944443333'].map((phoneNumber) =>
      wa.person(phoneNumber, { needsToken: 'any' }),
    );
    const [first, second, third] = strangers;
    const version = () => versionOfSalt(harness);
    await wa.shareState(account);
    await eventually(() => expect(version()).toBe(51));
    wa.changeSalt(account);
    await eventually(() => expect(version()).toBe(52));
    expect(await harness.link.connection().send(aText(first?.phoneNumber ?? ''))).toEqual({
      kind: 'accepted',
    });

    await harness.link.connection().close();
    wa.changeSalt(account);
    const again = await harness.open();
    await again.first('connected');
    await eventually(() => expect(version()).toBe(53));
    expect(await again.connection().send(aText(second?.phoneNumber ?? ''))).toEqual({ kind: 'accepted' });

    wa.removeSalt(account);
    await eventually(() => expect(version()).toBe(54));
    expect(await again.connection().send(aText(third?.phoneNumber ?? ''))).toMatchObject(REFUSED);
  });
});

function versionOfSalt({ session }: Pick<Linked, 'session'>): unknown {
  return JSON.parse(Buffer.from(session.values.get('key.nct-salt.own') ?? []).toString()).version;
}

describe('a token of ours', () => {
  it('is given to whom we write, once a week, and not again after a restart', async () => {
    const harness = await linked();
    const { wa, account } = harness.network;
    const bob = someone(harness, false);
    const given = () => wa.tokensGiven(account);
    expect(await send(harness.link, bob)).toEqual({ kind: 'accepted' });
    await eventually(() => expect(given()).toEqual([bob.phoneNumber]));
    await eventually(() => expect(storedTokens(harness)).toHaveLength(1));
    expect(await send(harness.link, bob)).toEqual({ kind: 'accepted' });
    await harness.link.connection().close();
    const again = await harness.open();
    await again.first('connected');
    expect(await send(again, bob)).toEqual({ kind: 'accepted' });
    // A second token would have been given by now.
    await wa.inbound(bob, account, 'Thanks');
    await again.first('message', ({ message }) => textOf(message) === 'Thanks');
    expect(given()).toEqual([bob.phoneNumber]);
  });
});
