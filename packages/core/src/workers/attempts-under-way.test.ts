import { describe, expect, it } from 'vitest';
import { attemptsUnderWay } from './attempts-under-way.ts';
import type { AttemptsUnderWay } from './attempts-under-way.ts';

const NOW = 1_000_000;

function begin(underWay: AttemptsUnderWay, count: number, now: number): readonly Promise<void>[] {
  const attempts = Array.from({ length: count }, () => Promise.resolve());
  for (const attempt of attempts) underWay.add(attempt, now);
  return attempts;
}

describe('the attempts of a dispatcher', () => {
  it('have room for 256 at once', () => {
    const underWay = attemptsUnderWay();
    expect(underWay.room(NOW)).toEqual({ count: 256, moreAt: null });
    const attempts = begin(underWay, 256, NOW);
    expect(underWay.room(NOW + 999)).toEqual({ count: 0, moreAt: NOW + 1_000 });
    for (const attempt of attempts.slice(0, 6)) underWay.remove(attempt);
    expect(underWay.room(NOW + 999).count).toBe(6);
  });

  it('make room after a second, and are ended all the same', () => {
    const underWay = attemptsUnderWay();
    const attempts = begin(underWay, 100, NOW);
    void begin(underWay, 156, NOW + 500);
    expect(underWay.room(NOW + 1_000)).toEqual({ count: 100, moreAt: NOW + 1_500 });
    for (const attempt of attempts) underWay.remove(attempt);
    expect(underWay.room(NOW + 1_000).count).toBe(100);
  });

  it('are never more than 2,048', () => {
    const underWay = attemptsUnderWay();
    const attempts: Promise<void>[] = [];
    for (let second = 0; ; second += 1) {
      const { count } = underWay.room(NOW + second * 1_000);
      if (count <= 0) break;
      attempts.push(...begin(underWay, count, NOW + second * 1_000));
    }
    expect(attempts).toHaveLength(2_048);
    // Only an end makes room now.
    expect(underWay.room(NOW + 60_000)).toEqual({ count: 0, moreAt: null });
    for (const attempt of attempts.slice(0, 3)) underWay.remove(attempt);
    expect(underWay.room(NOW + 60_000).count).toBe(3);
  });
});
