import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createCallWatch } from './call-watch.ts';

it('each call has its own time, up to 5 s more, however many are in flight', async () => {
  const clock = manualClock();
  const watch = createCallWatch(clock);
  watch.open();
  const began = clock.elapsed();
  const lateAfter: number[] = [];
  for (const ms of [15_000, 30_000, 15_000]) {
    const beganAt = clock.elapsed();
    watch.begin(ms, () => lateAfter.push(clock.elapsed() - beganAt));
    await clock.advance(4_000);
  }
  await clock.advance(60_000 - clock.elapsed() + began);
  expect(lateAfter).toEqual([20_000, 17_000, 31_000]);
});

it('a call that ends in time is never late', async () => {
  const clock = manualClock();
  const watch = createCallWatch(clock);
  watch.open();
  let isLate = false;
  const end = watch.begin(15_000, () => (isLate = true));
  await clock.advance(14_000);
  end();
  await clock.advance(60_000);
  expect(isLate).toBe(false);
});

it('the end of a late call, or of one that was closed, ends no other call', async () => {
  const clock = manualClock();
  const watch = createCallWatch(clock);
  watch.open();
  const late: string[] = [];
  const endClosed = watch.begin(15_000, () => late.push('closed'));
  watch.close();
  watch.open();
  const endEarly = watch.begin(1_000, () => late.push('early'));
  watch.begin(15_000, () => late.push('last'));
  await clock.advance(10_000);
  expect(late).toEqual(['early']);
  for (const end of [endEarly, endEarly, endClosed]) end();
  await clock.advance(60_000);
  expect(late).toEqual(['early', 'last']);
});

it('the time for which the process stood still does not count for a call', () => {
  let now = 0;
  let fire = (): void => undefined;
  const watch = createCallWatch({
    elapsed: () => now,
    setTimer(_delayMs, callback) {
      fire = callback;
      return () => undefined;
    },
  });
  watch.open();
  let isLate = false;
  watch.begin(15_000, () => (isLate = true));
  const look = (afterMs: number): void => {
    now += afterMs;
    fire();
  };
  for (const afterMs of [5_000, 5_000, 5_000, 3_600_000]) look(afterMs);
  expect(isLate).toBe(false);
  look(5_000);
  expect(isLate).toBe(true);
});

it('a closed watch keeps no timer', () => {
  const timers = new Set<() => void>();
  const watch = createCallWatch({
    elapsed: () => 0,
    setTimer(_delayMs, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  });
  watch.open();
  watch.begin(15_000, () => undefined);
  expect(timers.size).toBe(1);
  watch.close();
  watch.begin(15_000, () => undefined);
  expect(timers.size).toBe(0);
});
