import type { Clock, Logger } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { memorySession, openLink } from '@trunkline/gateway-contract';
import type { LinkOptions, MemorySession, TestLink } from '@trunkline/gateway-contract';
import { eventually } from '@trunkline/test-support';
import { expect, onTestFinished } from 'vitest';
import { baileysGateway } from '@trunkline/gateway-baileys';
import type { BaileysGateway, BaileysGatewayOptions } from '@trunkline/gateway-baileys';
import { startBaileysNetwork } from './baileys-network.ts';
import type { BaileysNetwork, NetworkOptions } from './baileys-network.ts';

const INSTANCE = 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c';

export interface Linked {
  readonly network: BaileysNetwork;
  readonly session: MemorySession;
  readonly link: TestLink;
  /** Opens another connection on the stored session. The connection ends with the test. */
  open(options?: LinkOptions): Promise<TestLink>;
}

interface LinkedOptions extends NetworkOptions {
  readonly logger?: Logger;
  /** A hurried clock starts to hurry when the link is open, because linking takes as long as the machine needs. */
  readonly clock?: Clock | HurriedClock;
  /** Called before the number is linked. */
  readonly before?: (network: BaileysNetwork) => void | Promise<void>;
}

export async function unlinked(options: LinkedOptions = {}): Promise<Omit<Linked, 'link'>> {
  const { logger = silentLogger, clock = systemClock(), before, ...networkOptions } = options;
  const network = await startBaileysNetwork(networkOptions);
  await before?.(network);
  const links: TestLink[] = [];
  onTestFinished(async () => {
    for (const link of links) await link.connection().close();
    await network.stop();
  });
  network.gateway.attach({ clock, random: systemRandom(), logger });
  const session = memorySession(INSTANCE);
  return {
    network,
    session,
    async open(linkOptions) {
      const link = await openLink(network.gateway, session, linkOptions);
      links.push(link);
      return link;
    },
  };
}

export async function linked(options: LinkedOptions = {}): Promise<Linked> {
  const { clock } = options;
  const hurry = clock && 'rest' in clock ? clock.rest() : undefined;
  const harness = await unlinked(options);
  const link = await harness.open();
  const { wa, account } = harness.network;
  wa.scanQr(account, (await link.first('qr')).code);
  await link.first('connected');
  await link.first('groups');
  await untilHistoryIsRead(harness);
  hurry?.();
  return { ...harness, link };
}

/** The history has been read when nothing of it is stored any more. */
export function untilHistoryIsRead({ session }: Pick<Linked, 'session'>): Promise<void> {
  return eventually(() => {
    const names = [...session.values.keys()];
    expect(names).toContain('key.nct-salt.own');
    expect(names.filter((name) => name.startsWith('key.history.'))).toEqual([]);
  });
}

/** Stores no decrypted message of the session until the returned function is called. */
export function holdArrivals(session: MemorySession): () => void {
  const storing = Promise.withResolvers<void>();
  const save = session.save.bind(session);
  session.save = async (changes) => {
    if ([...changes.keys()].some((name) => name.startsWith('key.arrival.'))) await storing.promise;
    return save(changes);
  };
  return storing.resolve;
}

interface NextProcessOptions extends Pick<BaileysGatewayOptions, 'currentVersion'> {
  readonly clock?: Clock;
}

/** The gateway as the next process has it, which remembers nothing. */
export function nextProcess({ wa }: BaileysNetwork, options: NextProcessOptions = {}): BaileysGateway {
  const { clock = systemClock(), ...gatewayOptions } = options;
  const socket = { waWebSocketUrl: wa.client.waWebSocketUrl };
  const gateway = baileysGateway({ ...gatewayOptions, socket });
  gateway.attach({ clock, random: systemRandom(), logger: silentLogger });
  return gateway;
}

interface HurriedClock extends Clock {
  /** Makes new timers take their full time until the returned function is called. */
  rest(): () => void;
}

/** Timers run ten times as fast, but the time of day does not. */
export function hurriedClock(): HurriedClock {
  const usual = systemClock();
  const hurried = clockWithTimers(0.1);
  let clock = hurried;
  return {
    ...usual,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    rest() {
      clock = usual;
      return () => {
        clock = hurried;
      };
    },
  };
}

/** Timers take ten times as long, which exposes a test that waits for a timer instead of an event. */
export function patientClock(): Clock {
  return clockWithTimers(10);
}

/** New timers of a minute or more fire immediately after `leap()`. The time of day is unchanged. */
export function leapingClock(): Clock & { leap(): void } {
  const clock = systemClock();
  let leaps = false;
  return {
    ...clock,
    setTimer: (delayMs, callback) => clock.setTimer(leaps && delayMs >= 60_000 ? 1 : delayMs, callback),
    leap: () => {
      leaps = true;
    },
  };
}

const TICK_MS = 5;

/**
 * Timers and the time of day run faster when a test calls `accelerate`. Time advances by ticks of the event loop, so a
 * busy machine slows it down: otherwise leases would expire while the process stands still.
 */
export function acceleratingClock(): { readonly clock: Clock; accelerate(factor: number): void } {
  const machine = systemClock();
  let speed = 1;
  let now = machine.now();
  let elapsed = machine.elapsed();
  let tickedAt = elapsed;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const ticking = setInterval(() => {
    const sinceTick = machine.elapsed() - tickedAt;
    tickedAt += sinceTick;
    const passed = Math.min(sinceTick, 2 * TICK_MS) * speed;
    now += passed;
    elapsed += passed;
    const due = [...timers].filter(({ at }) => at <= elapsed).toSorted((one, other) => one.at - other.at);
    for (const timer of due) if (timers.delete(timer)) timer.callback();
  }, TICK_MS);
  onTestFinished(() => clearInterval(ticking));
  return {
    clock: {
      now: () => Math.floor(now),
      elapsed: () => elapsed,
      setTimer(delayMs, callback) {
        const timer = { at: elapsed + delayMs, callback };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
    accelerate: (factor) => void (speed = factor),
  };
}

function clockWithTimers(factor: number): Clock {
  const clock = systemClock();
  return { ...clock, setTimer: (delayMs, callback) => clock.setTimer(delayMs * factor, callback) };
}

export function textOf({ content }: { content: { type: string; text?: string } }): string | undefined {
  return content.text;
}
