import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roomInLane, startsAfter, startsSetBack, throttledUntil } from './lane.ts';
import type { LaneLimits } from './lane.ts';

const LIMITS: LaneLimits = { slots: 2, startsPerWindow: 3, windowMs: 60 };

describe('a lane', () => {
  it('has room for as many requests as slots are free', () => {
    expect([0, 1, 2].map((claims) => roomInLane({ starts: [], claims }, LIMITS, 100))).toEqual([2, 1, 0]);
  });

  it('has room for as many as the throttle leaves, until the oldest start leaves the window', () => {
    const lane = { starts: [10, 20, 30], claims: 0 };
    expect(throttledUntil(lane.starts, LIMITS)).toBe(70);
    expect([69, 70, 80, 90].map((now) => roomInLane(lane, LIMITS, now))).toEqual([0, 1, 2, 2]);
    expect(throttledUntil([20, 30], LIMITS)).toBe(0);
  });

  it('has no room below none, when its limits were lowered', () => {
    expect(roomInLane({ starts: [10, 10, 10, 10], claims: 5 }, LIMITS, 20)).toBe(0);
    expect(throttledUntil([10, 20, 30, 40], LIMITS)).toBe(80);
  });

  it('counts what lies ahead of a clock that was set back as of now', () => {
    expect(startsSetBack([10, 500], 100)).toEqual([10, 100]);
    expect(startsAfter([500], 1, LIMITS, 100)).toEqual([500, 500]);
  });

  it('never starts more within a window than its limit, however requests come', () => {
    const steps = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 50 }), wanted: fc.integer({ min: 0, max: 4 }) }),
    );
    fc.assert(
      fc.property(steps, (given) => {
        const all: number[] = [];
        let now = 1;
        let starts: readonly number[] = [];
        for (const { wait, wanted } of given) {
          now += wait;
          const isFree = throttledUntil(starts, LIMITS) <= now;
          const room = roomInLane({ starts, claims: 0 }, LIMITS, now);
          expect(room > 0).toBe(isFree);
          const count = Math.min(wanted, room);
          starts = startsAfter(starts, count, LIMITS, now);
          all.push(...Array.from({ length: count }, () => now));
        }
        for (const start of all) {
          const inWindow = all.filter((other) => other >= start && other < start + LIMITS.windowMs);
          expect(inWindow.length).toBeLessThanOrEqual(LIMITS.startsPerWindow);
        }
      }),
    );
  });
});
