import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '@trunkline/core/node';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives the time in epoch milliseconds', () => {
    vi.setSystemTime(1_763_672_400_123);
    expect(systemClock().now()).toBe(1_763_672_400_123);
  });

  it('calls once, when the delay is over', () => {
    const callback = vi.fn();
    systemClock().setTimer(1000, callback);
    vi.advanceTimersByTime(999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it.each([0, -1, Number.NaN])('calls soon, but not within the call, for a delay of %d', (delay) => {
    const callback = vi.fn();
    systemClock().setTimer(delay, callback);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  // setTimeout treats 2^31 ms (about 25 days) or more as 1 ms.
  it('waits for months', () => {
    const callback = vi.fn();
    systemClock().setTimer(60 * DAY_MS, callback);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('soon calls a timer that became due while it was set, without a warning of Node', () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(20).mockReturnValue(21);
    const callback = vi.fn();
    systemClock().setTimer(10, callback);
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
    expect(setTimeout.mock.calls.map(([, delay]) => delay)).toEqual([1]);
    vi.restoreAllMocks();
  });

  it.each([1000, 60 * DAY_MS])('does not call when cancelled before %d ms are over', (delay) => {
    const callback = vi.fn();
    const cancel = systemClock().setTimer(delay, callback);
    vi.advanceTimersByTime(delay - 1);
    cancel();
    vi.advanceTimersByTime(delay);
    expect(callback).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    cancel();
  });

  it('is not moved by a clock that is set', () => {
    const callback = vi.fn();
    systemClock().setTimer(1000, callback);
    vi.setSystemTime(Date.now() + DAY_MS);
    vi.advanceTimersByTime(999);
    expect(callback).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() - 2 * DAY_MS);
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('never calls early on the real clock', async () => {
    vi.useRealTimers();
    const waits = Array.from({ length: 50 }, (_, index) => {
      const started = performance.now();
      const delay = index / 7;
      return new Promise<number>((resolve) => {
        systemClock().setTimer(delay, () => resolve(performance.now() - started - delay));
      });
    });
    expect(Math.min(...(await Promise.all(waits)))).toBeGreaterThanOrEqual(0);
  });
});
