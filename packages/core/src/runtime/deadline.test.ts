import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/index.ts';
import { DeadlineError, settledWithin } from './deadline.ts';

describe('settledWithin', () => {
  it.each([
    ['resolves', () => Promise.resolve()],
    ['rejects', () => Promise.reject(new Error('A fault.'))],
    [
      'rejects because a deadline of its own has passed',
      () => Promise.reject(new DeadlineError('A part of it', 5)),
    ],
  ])('is true for work that %s', async (_, work) => {
    expect(await settledWithin(manualClock(), 10, work())).toBe(true);
  });

  it('is false for work that takes longer', async () => {
    const clock = manualClock();
    const isSettled = settledWithin(clock, 10, new Promise(() => undefined));
    await clock.advance(10);
    expect(await isSettled).toBe(false);
  });
});
