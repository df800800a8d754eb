import { describe, expect, it } from 'vitest';
import { takeRetryBatch } from './retry-round.ts';
import type { RetryBatch, RetryRound } from './retry-round.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

type Time = number | null;

function call(
  failed: readonly Time[],
  { round = null, now = NOW, limit = 1 }: { round?: RetryRound | null; now?: number; limit?: number } = {},
): RetryBatch<Time> {
  return takeRetryBatch(failed, { limit, now, round, failedAt: (time) => time });
}

describe('a round of retries', () => {
  const old = NOW - HOUR;

  it('takes the first failed deliveries, up to the limit', () => {
    expect(call([1, 2, 3], { limit: 2 })).toMatchObject({ chosen: [1, 2], remaining: 1 });
    expect(call([1, 2], { limit: 5 })).toMatchObject({ chosen: [1, 2], remaining: 0 });
  });

  it('begins with the first call, and continues with each within an hour of the one before', () => {
    const { round: first } = call([old, old]);
    expect(first).toEqual({ beganAt: NOW, calledAt: NOW });
    const { round: second } = call([old, old], { round: first, now: NOW + HOUR });
    expect(second).toEqual({ beganAt: NOW, calledAt: NOW + HOUR });
    const { round: third } = call([old, old], { round: second, now: NOW + 2 * HOUR });
    expect(third).toEqual({ beganAt: NOW, calledAt: NOW + 2 * HOUR });
  });

  it('is over after an hour without a call, or when the clock was set back', () => {
    const { round } = call([old, old]);
    for (const now of [NOW + HOUR + 1, NOW - 1]) {
      expect(call([old, old], { round, now }).round).toEqual({ beganAt: now, calledAt: now });
    }
  });

  it('holds what was never attempted, or last before it began', () => {
    const others = [null, NOW - 1, NOW, NOW + 1];
    expect(call([old, ...others])).toMatchObject({ remaining: 2 });
  });

  it('is over when nothing is left in it', () => {
    const { round } = call([old, old]);
    expect(call([old, NOW, NOW + 1], { round, now: NOW + 2 })).toEqual({
      chosen: [old],
      remaining: 0,
      round: null,
    });
  });
});
