import { describe, expect, it } from 'vitest';
import { joinRound, waitsInRound } from './retry-round.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

describe('a round of retry-failed', () => {
  it('begins with the first call, and goes on with each within an hour of the one before', () => {
    const first = joinRound(null, NOW);
    expect(first).toEqual({ beganAt: NOW, calledAt: NOW });
    const second = joinRound(first, NOW + HOUR);
    expect(second).toEqual({ beganAt: NOW, calledAt: NOW + HOUR });
    expect(joinRound(second, NOW + 2 * HOUR)).toEqual({ beganAt: NOW, calledAt: NOW + 2 * HOUR });
  });

  it('is over after an hour without a call, or when the clock was set back', () => {
    const round = joinRound(null, NOW);
    expect(joinRound(round, NOW + HOUR + 1).beganAt).toBe(NOW + HOUR + 1);
    expect(joinRound(round, NOW - 1).beganAt).toBe(NOW - 1);
  });

  it('holds what was never attempted, or last before it began', () => {
    const round = joinRound(null, NOW);
    expect([null, NOW - 1, NOW, NOW + 1].map((at) => waitsInRound(at, round))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
