import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, retryDelay } from './retry-schedule.ts';

describe('the retry schedule', () => {
  const waits = Array.from({ length: MAX_ATTEMPTS }, (_, i) => retryDelay(i + 1));

  it('waits 1 min, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h', () => {
    const minutes = waits.map((wait) => (wait === null ? null : wait / 60_000));
    expect(minutes).toEqual([1, 5, 30, 120, 360, 720, 1440, null]);
  });

  it('makes 8 attempts within 44 hours and 36 minutes', () => {
    expect(MAX_ATTEMPTS).toBe(8);
    expect(waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBe((44 * 60 + 36) * 60_000);
  });
});
