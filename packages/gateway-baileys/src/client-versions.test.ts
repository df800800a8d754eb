import type { GatewayContext } from '@trunkline/core/spi/gateway';
import { silentLogger } from '@trunkline/core';
import { manualClock } from '@trunkline/core/testing';
import { systemRandom } from '@trunkline/core/node';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import type { WAVersion } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { clientVersions } from './client-versions.ts';
import type { InstanceNetwork } from './network/instance-network.ts';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;
const OWN: WAVersion = DEFAULT_CONNECTION_CONFIG.version;
const network: InstanceNetwork = { agent: undefined, fetchAgent: undefined, dispatcher: undefined, fetch };

/** The version of Baileys, or a later or an earlier one. */
const version = (later: number): WAVersion => [OWN[0], OWN[1], OWN[2] + later];

/** The versions of a new process, whose lookups get the next of these answers. */
function aProcess(...answers: readonly (WAVersion | Error)[]) {
  const clock = manualClock();
  const context: GatewayContext = { clock, random: systemRandom(), logger: silentLogger };
  let lookups = 0;
  const versions = clientVersions(
    async () => {
      const answer = answers[lookups];
      lookups += 1;
      if (answer instanceof Error || answer === undefined) throw answer ?? new Error('There is no answer.');
      return answer;
    },
    () => context,
  );
  const storedFor = (ageMs: number, stored: WAVersion) => ({
    isLinking: false,
    stored: { version: stored, learnedAt: clock.now() - ageMs },
    network,
  });
  return { clock, versions, storedFor, lookups: () => lookups };
}

describe('a version that an earlier process has stored', () => {
  it.each([
    [25, 1],
    [23, 0],
  ])('is looked up again in the background if it is %i hours old: %i time(s)', async (hours, times) => {
    const { versions, storedFor, lookups } = aProcess(version(9));
    expect((await versions.choose(storedFor(hours * HOUR, version(1))))?.version).toEqual(version(1));
    expect(lookups()).toBe(times);
  });

  it('is not used if the one of Baileys is newer', async () => {
    const { versions, storedFor } = aProcess();
    expect(await versions.choose(storedFor(HOUR, version(-1)))).toBeNull();
    expect((await versions.choose(storedFor(HOUR, version(1))))?.version).toEqual(version(1));
  });
});

describe('a lookup that fails', () => {
  it('is repeated after a minute at the earliest, however often the network refuses the version', async () => {
    const { clock, versions, lookups } = aProcess(new Error('unreachable'), version(1));
    const refused = (): Promise<number | null> => versions.refused(OWN, network);
    expect(await refused()).toBe(MINUTE);
    await clock.advance(MINUTE - 1);
    expect(await refused()).toBe(1);
    expect(lookups()).toBe(1);
    await clock.advance(1);
    expect(await refused()).toBeNull();
    expect(lookups()).toBe(2);
  });
});
