import type { Clock, Logger } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { memorySession, openLink } from '@trunkline/gateway-contract';
import type { LinkOptions, MemorySession, TestLink } from '@trunkline/gateway-contract';
import { onTestFinished } from 'vitest';
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
}

export async function unlinked(options: LinkedOptions = {}): Promise<Omit<Linked, 'link'>> {
  const { logger = silentLogger, clock = systemClock(), ...networkOptions } = options;
  const network = await startBaileysNetwork(networkOptions);
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
  hurry?.();
  return { ...harness, link };
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

/** Timers and the time of day run faster when a test calls `accelerate`. */
export function acceleratingClock(): { readonly clock: Clock; accelerate(factor: number): void } {
  const { now, elapsed, setTimer } = systemClock();
  let speed = 1;
  /** This clock's readings, and the machine's, when the speed last changed. */
  let since = { now: now(), elapsed: elapsed(), machine: elapsed() };
  const passed = (): number => (elapsed() - since.machine) * speed;
  const clock: Clock = {
    now: () => Math.floor(since.now + passed()),
    elapsed: () => since.elapsed + passed(),
    setTimer: (delayMs, callback) => setTimer(delayMs / speed, callback),
  };
  return {
    clock,
    accelerate(factor) {
      since = { now: clock.now(), elapsed: clock.elapsed(), machine: elapsed() };
      speed = factor;
    },
  };
}

function clockWithTimers(factor: number): Clock {
  const clock = systemClock();
  return { ...clock, setTimer: (delayMs, callback) => clock.setTimer(delayMs * factor, callback) };
}

export function textOf({ content }: { content: { type: string; text?: string } }): string | undefined {
  return content.text;
}
