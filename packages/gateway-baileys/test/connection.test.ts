import { silentLogger } from '@trunkline/core';
import { describe, expect, it } from 'vitest';
import { elapsing } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { hurriedClock, linked, unlinked } from './support/linked.ts';

const anyEnd = ({ reason }: { reason: { kind: string } }): boolean => reason.kind !== 'restart';

describe('the profile of a linked number', () => {
  it('leaves out a picture that WhatsApp did not name, and says it if there is none', async () => {
    const { network, link, open } = await linked();
    expect((await link.first('connected')).profile.profilePictureUrl).toBeNull();
    await link.connection().close();
    network.wa.refuseQueries('w:profile:picture/get/picture', 500);
    const { profile } = await (await open()).first('connected');
    expect(profile).toMatchObject({ phoneNumber: network.account.phoneNumber });
    expect(profile.profilePictureUrl).toBeUndefined();
  });
});

describe('the end of a connection', () => {
  it.each(isLongForm ? [500, 503] : [500])('is a loss after stream error %i', async (code) => {
    const { network, session, link } = await linked();
    network.wa.streamError(network.account, { code });
    expect((await link.first('closed', anyEnd)).reason).toMatchObject({ kind: 'dropped' });
    expect(session.values.size).toBeGreaterThan(0);
  });

  it.runIf(isLongForm)(
    'is a long wait after another connection replaces it, and final the next time',
    async () => {
      const { network, link, open } = await linked();
      network.wa.replace(network.account);
      expect((await link.first('closed', anyEnd)).reason).toEqual({
        kind: 'dropped',
        detail: 'connection_replaced',
        notBeforeMs: 60_000,
        networkCode: '440',
      });
      const again = await open();
      await again.first('connected');
      network.wa.replace(network.account);
      expect((await again.first('closed')).reason).toEqual({
        kind: 'failed',
        code: 'connection_replaced',
        networkCode: '440',
      });
    },
  );

  it('is noticed where the network falls silent', async () => {
    const socket = { keepAliveIntervalMs: 100 };
    const { network, link } = await linked({ clock: hurriedClock(), gateway: { socket } });
    network.wa.freeze(network.account);
    expect((await link.first('closed', anyEnd)).reason).toEqual({
      kind: 'dropped',
      detail: 'connection_lost',
      networkCode: '408',
    });
  });

  const REFUSALS: readonly (readonly [number, string])[] = [
    [402, 'account_temporarily_banned'],
    [403, 'account_forbidden'],
    [406, 'account_banned'],
    [411, 'multi_device_not_enabled'],
  ];

  it.each(isLongForm ? REFUSALS : REFUSALS.slice(0, 1))(
    'is final after refusal %i, and keeps the session',
    async (code, detail) => {
      const { network, session, link, open } = await linked();
      await link.connection().close();
      network.wa.refuseLogin(network.account, code);
      expect((await (await open()).first('closed')).reason).toEqual({
        kind: 'failed',
        code: detail,
        networkCode: String(code),
      });
      network.wa.allowLogin(network.account);
      expect(session.values.size).toBeGreaterThan(0);
      await (await open()).first('connected');
    },
  );
});

it.each([
  [402, { code: '101' }, { code: 'account_temporarily_banned', banReason: 'sent_to_too_many_people' }],
  [
    403,
    { logout_message_header: 'Account review', logout_message_subtext: 'It takes a day.' },
    { code: 'account_forbidden', heading: 'Account review', text: 'It takes a day.' },
  ],
])('the words with which WhatsApp refuses a number (%i) are logged', async (reason, says, logged) => {
  const facts: unknown[] = [];
  const logger = { ...silentLogger, warn: (given: object) => void facts.push(given) };
  const { network, link, open } = await linked({ logger });
  await link.connection().close();
  network.wa.refuseLogin(network.account, reason, { says });
  await (await open()).first('closed');
  expect(facts).toContainEqual(expect.objectContaining(logged));
});

describe('a connection that does not come about', () => {
  it('is lost immediately where the server responds to the upgrade with an error', async () => {
    const { network, open } = await unlinked();
    network.wa.refuseUpgrades(500);
    const link = await open();
    expect((await link.first('closed')).reason).toEqual({ kind: 'dropped', detail: 'connection_failed' });
  });

  it.runIf(isLongForm)('is given up where the server says nothing at all', async () => {
    const { network, open } = await unlinked({ clock: hurriedClock() });
    network.wa.refuseUpgrades('silence');
    const link = await open();
    expect((await link.first('closed')).reason).toMatchObject({ kind: 'dropped' });
  });

  it.runIf(isLongForm)('ends when nobody scans', async () => {
    const { session, open } = await unlinked({ gateway: { socket: { qrTimeout: elapsing(60) } } });
    const link = await open();
    expect((await link.first('closed')).reason).toEqual({ kind: 'qr_timeout' });
    const codes = link.all('qr').map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(3);
    expect(new Set(codes).size).toBe(codes.length);
    expect(session.values.size).toBe(0);
  });
});

describe('a logout', () => {
  it('is done when the network says so', async () => {
    const { network, link } = await linked();
    await link.connection().logout();
    expect(network.wa.linkedDevices(network.account)).toEqual([]);
  });

  it.runIf(isLongForm)('fails if the network does not respond', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    network.wa.muteQueries('md/set/remove-companion-device');
    await expect(link.connection().logout()).rejects.toThrow();
    expect(link.all('closed').filter(anyEnd)).toEqual([]);
  });

  it.runIf(isLongForm)('is done if the phone was faster', async () => {
    const { network, link } = await linked();
    network.wa.muteQueries('md/set/remove-companion-device');
    const loggedOut = link.connection().logout();
    network.wa.unlink(network.account);
    await loggedOut;
    expect(network.wa.linkedDevices(network.account)).toEqual([]);
  });
});
