import { describe, expect, it } from 'vitest';
import { attemptsInFlight } from './attempts-in-flight.ts';
import type { AttemptsInFlight } from './attempts-in-flight.ts';

const NOW = 1_000_000;

function begin(inFlight: AttemptsInFlight, count: number, now: number): readonly Promise<void>[] {
  const attempts = Array.from({ length: count }, () => Promise.resolve());
  for (const attempt of attempts) inFlight.add(attempt, now);
  return attempts;
}

describe('the attempts of a dispatcher', () => {
  it('have room for 256 concurrent ones', () => {
    const inFlight = attemptsInFlight();
    expect(inFlight.room(NOW)).toEqual({ count: 256, moreAt: null });
    const attempts = begin(inFlight, 256, NOW);
    expect(inFlight.room(NOW + 999)).toEqual({ count: 0, moreAt: NOW + 1_000 });
    for (const attempt of attempts.slice(0, 6)) inFlight.remove(attempt);
    expect(inFlight.room(NOW + 999).count).toBe(6);
  });

  it('make room after a second, and can still be ended later', () => {
    const inFlight = attemptsInFlight();
    const attempts = begin(inFlight, 100, NOW);
    void begin(inFlight, 156, NOW + 500);
    expect(inFlight.room(NOW + 1_000)).toEqual({ count: 100, moreAt: NOW + 1_500 });
    for (const attempt of attempts) inFlight.remove(attempt);
    expect(inFlight.room(NOW + 1_000).count).toBe(100);
  });

  it('are never more than 2,048', () => {
    const inFlight = attemptsInFlight();
    const attempts: Promise<void>[] = [];
    for (let second = 0; ; second += 1) {
      const { count } = inFlight.room(NOW + second * 1_000);
      if (count <= 0) break;
      attempts.push(...begin(inFlight, count, NOW + second * 1_000));
    }
    expect(attempts).toHaveLength(2_048);
    expect(inFlight.room(NOW + 60_000)).toEqual({ count: 0, moreAt: null });
    for (const attempt of attempts.slice(0, 3)) inFlight.remove(attempt);
    expect(inFlight.room(NOW + 60_000).count).toBe(3);
  });
});
