import type { Storage, TrunklineOptions } from '@trunkline/core';
import type { Clock } from '@trunkline/core/spi/gateway';
import { runService } from '../../../src/run-service.ts';

// A process of the cluster with a wrong clock and faster time, as set by the test.
const { CLOCK_AHEAD_MS = '0', TIME_FACTOR = '1', TIME_BASE_MS = '0' } = process.env;
const aheadMs = Number(CLOCK_AHEAD_MS);
const factor = Number(TIME_FACTOR);
const base = Number(TIME_BASE_MS);

runService({
  adapt: (options: TrunklineOptions) => ({
    ...options,
    clock: otherClock(options.clock),
    storage: { ...options.storage, ...otherTime(options.storage) },
  }),
});

function otherClock(clock: Clock): Clock {
  return {
    now: () => faster(clock.now()) + aheadMs,
    elapsed: () => clock.elapsed() * factor,
    setTimer: (ms, callback) => clock.setTimer(ms / factor, callback),
  };
}

/** The database's time also runs faster, but is not ahead. */
function otherTime({ serverTime }: Storage): Pick<Storage, 'serverTime'> {
  return serverTime ? { serverTime: async () => faster(await serverTime()) } : {};
}

function faster(time: number): number {
  return base + (time - base) * factor;
}
