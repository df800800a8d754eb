import type { Clock, Logger } from '@trunkline/core/spi/gateway';
import { systemClock } from '@trunkline/core/node';
import { memorySession, openLink } from '@trunkline/gateway-contract';
import type { MemorySession, TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import type { WAVersion } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { BaileysNetwork } from './support/baileys-network.ts';
import { linked, nextProcess, unlinked } from './support/linked.ts';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;
const DAY: number = 24 * HOUR;
/** The version that the fake WhatsApp requires at first. */
const CURRENT: WAVersion = [2, 3000, 1_100_000_000];
const VERSION_REFUSED = { kind: 'dropped', detail: 'client_version_refused', networkCode: '405' };
const anyEnd = ({ reason }: { reason: { kind: string } }): boolean => reason.kind !== 'restart';

describe('the version of WhatsApp Web', () => {
  it('is the current one when a number is linked, since the network links no older client', async () => {
    const { network, open } = await unlinked();
    const { wa, account } = network;
    wa.releaseVersion();
    const link = await open();
    wa.scanQr(account, (await link.first('qr')).code);
    await link.first('connected');
  });

  it('may be refused again and again: every number of the process connects with the next one', async () => {
    const clock = leapingClock();
    const { network, session, link } = await linked({ clock });
    const { wa } = network;
    const other = await linkAnother(network);
    await link.connection().close();
    for (const _ of isLongForm ? [1, 2, 3] : [1, 2]) {
      clock.leap(11 * MINUTE);
      wa.releaseVersion();
      wa.expireVersions();
      for (const stored of [session, other]) {
        const again = await openLink(network.gateway, stored);
        await again.first('connected');
        expect(again.all('closed').filter(anyEnd)).toEqual([]);
        await again.connection().close();
      }
    }
  });

  it('is looked up at most every ten minutes if the network refuses the current one', async () => {
    const clock = leapingClock();
    const { lines, logger } = recordingLogger();
    let lookups = 0;
    let current = CURRENT;
    const currentVersion = async (): Promise<WAVersion> => {
      lookups += 1;
      return current;
    };
    const { network, link, open } = await linked({ clock, logger, gateway: { currentVersion } });
    await link.connection().close();
    network.wa.releaseVersion();
    network.wa.expireVersions();
    clock.leap(4 * MINUTE);
    for (const _ of [1, 2]) {
      const { reason } = await (await open()).first('closed');
      expect(reason).toMatchObject(VERSION_REFUSED);
      const { notBeforeMs = 0 } = reason.kind === 'dropped' ? reason : {};
      expect(notBeforeMs).toBeGreaterThan(5 * MINUTE);
      expect(notBeforeMs).toBeLessThanOrEqual(6 * MINUTE);
    }
    expect(lookups).toBe(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', text: expect.stringContaining('install a newer @trunkline/gateway-baileys') },
    ]);

    current = network.wa.releaseVersion();
    clock.leap(6 * MINUTE);
    await (await open()).first('connected');
    expect(lookups).toBe(2);
  });

  it('is stored with the session, so that the next process begins with it even if the lookup fails', async () => {
    const { network, session, link } = await linked();
    await link.connection().close();
    network.wa.expireVersions();
    const gateway = nextProcess(network, { currentVersion: unreachable });
    const again = await openLink(gateway, session);
    await again.first('connected');
    expect(again.all('closed')).toEqual([]);
    await again.connection().close();
  });

  it('is looked up once a day, without a wait for linked numbers', async () => {
    const clock = leapingClock();
    let lookups = 0;
    const answer = Promise.withResolvers<WAVersion>();
    const currentVersion = (): Promise<WAVersion> => {
      lookups += 1;
      return lookups === 1 ? Promise.resolve(CURRENT) : answer.promise;
    };
    const { link, open } = await linked({ clock, gateway: { currentVersion } });
    await link.connection().close();
    await reconnect(open);
    expect(lookups).toBe(1);
    clock.leap(DAY);
    await reconnect(open);
    await reconnect(open);
    expect(lookups).toBe(2);
    answer.resolve([2, 3000, 1_160_000_000]);
  });

  it('is looked up once a day by a number that stays connected, and stored for the next process', async () => {
    const clock = leapingClock();
    const { network, session } = await linked({ clock });
    const { wa } = network;
    const name = 'client-version';
    const version = wa.releaseVersion();
    const stored = () => JSON.parse(Buffer.from(session.values.get(name) ?? []).toString()).version;
    expect(stored()).not.toEqual(version);
    clock.leap(DAY);
    await eventually(() => expect(stored()).toEqual(version));
  });

  it('is the one in the options if there is one, and is never looked up then', async () => {
    const { lines, logger } = recordingLogger();
    let lookups = 0;
    const currentVersion = (): Promise<WAVersion> => {
      lookups += 1;
      return unreachable();
    };
    const gateway = { currentVersion, socket: { version: CURRENT } };
    const { network, link, open } = await linked({ logger, gateway });
    await link.connection().close();
    network.wa.releaseVersion();
    network.wa.expireVersions();
    expect((await (await open()).first('closed')).reason).toEqual({
      kind: 'failed',
      code: 'client_version_refused',
      networkCode: '405',
    });
    expect(lookups).toBe(0);
    expect(lines).toContainEqual({ level: 'error', text: expect.stringContaining('"socket.version"') });
  });
});

describe('a lookup of the version that fails', () => {
  it('is logged once, with what to do, and linking goes on with the version of Baileys', async () => {
    const { lines, logger } = recordingLogger();
    const { link, open } = await linked({
      logger,
      before: linkOldVersions,
      gateway: { currentVersion: unreachable },
    });
    await link.connection().close();
    await reconnect(open);
    expect(lines.filter(({ text }) => text.includes('version'))).toEqual([
      { level: 'warn', text: expect.stringContaining('let this machine reach https://web.whatsapp.com/') },
    ]);
  });

  it('is repeated later where the network refuses the version', async () => {
    const clock = leapingClock();
    let current: WAVersion | null = null;
    const currentVersion = async (): Promise<WAVersion> => current ?? unreachable();
    const { network, link, open } = await linked({
      clock,
      before: linkOldVersions,
      gateway: { currentVersion },
    });
    await link.connection().close();
    network.wa.releaseVersion();
    network.wa.expireVersions();
    clock.leap(2 * MINUTE);
    const { reason } = await (await open()).first('closed');
    expect(reason).toMatchObject({ ...VERSION_REFUSED, notBeforeMs: expect.any(Number) });
    current = network.wa.releaseVersion();
    clock.leap(2 * MINUTE);
    await (await open()).first('connected');
  });

  it.runIf(isLongForm)('is one that returns no version', async () => {
    const { lines, logger } = recordingLogger();
    const wrong = async (): Promise<WAVersion> => ['2'] as unknown as WAVersion; // as JavaScript would allow
    await linked({ logger, before: linkOldVersions, gateway: { currentVersion: wrong } });
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringContaining('currentVersion') });
  });
});

/** Time passes only when a test says so, apart from the time that the test takes. Then, timers of an hour fire. */
function leapingClock(): Clock & { leap(ms: number): void } {
  const clock = systemClock();
  let ahead = 0;
  const hours = new Set<() => void>();
  return {
    ...clock,
    setTimer(delayMs, callback) {
      if (delayMs < HOUR) return clock.setTimer(delayMs, callback);
      hours.add(callback);
      return () => void hours.delete(callback);
    },
    now: () => clock.now() + ahead,
    elapsed: () => clock.elapsed() + ahead,
    leap(ms) {
      ahead += ms;
      if (ms < HOUR) return;
      const due = [...hours];
      hours.clear();
      for (const fire of due) fire();
    },
  };
}

async function reconnect(open: () => Promise<TestLink>): Promise<void> {
  const link = await open();
  await link.first('connected');
  await link.connection().close();
}

async function linkAnother({ wa, gateway }: BaileysNetwork): Promise<MemorySession> {
  const session = memorySession('ins_01kaj2p9v6e8gr5d0mz7q4xw2d');
  const link = await openLink(gateway, session);
  wa.scanQr(wa.account('5511900000002', { name: 'Office' }), (await link.first('qr')).code);
  await link.first('connected');
  await link.connection().close();
  return session;
}

function linkOldVersions({ wa }: BaileysNetwork): void {
  wa.linkOldVersions();
}

async function unreachable(): Promise<never> {
  throw new Error('the network cannot be reached');
}

function recordingLogger() {
  const lines: { readonly level: string; readonly text: string }[] = [];
  const at =
    (level: string): Logger['info'] =>
    (_, text) =>
      void lines.push({ level, text });
  const logger: Logger = { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') };
  return { lines, logger };
}
