import { describe, expect, it } from 'vitest';
import { manualClock } from '../src/testing/index.ts';

describe('the manual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = manualClock(1_000);
    let called = false;
    clock.setTimer(0, () => (called = true));
    await clock.settle();
    expect([clock.now(), called]).toEqual([1_000, false]);
    await clock.advance(0);
    expect([clock.now(), called]).toEqual([1_000, true]);
  });

  it('calls each timer at its own moment, in order, those set on the way too', async () => {
    const clock = manualClock(0);
    const calls: [string, number][] = [];
    const call = (name: string) => () => void calls.push([name, clock.now()]);
    clock.setTimer(30, call('late'));
    clock.setTimer(10, () => {
      call('early')();
      clock.setTimer(10, call('on the way'));
    });
    clock.setTimer(31, call('too late'));
    await clock.advance(30);
    expect(calls).toEqual([
      ['early', 10],
      ['on the way', 20],
      ['late', 30],
    ]);
  });

  it('calls no timer that was cancelled', async () => {
    const clock = manualClock();
    let called = false;
    clock.setTimer(10, () => (called = true))();
    await clock.advance(100);
    expect(called).toBe(false);
  });

  it('lets the work that a timer began run on before time does', async () => {
    const clock = manualClock(0);
    const seen: number[] = [];
    const work = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
      seen.push(clock.now());
    };
    clock.setTimer(10, () => void work());
    clock.setTimer(11, () => void seen.push(clock.now()));
    await clock.advance(20);
    expect(seen).toEqual([10, 11]);
  });

  it('lets I/O run on before time does, also after a day of timers that began none', async () => {
    const clock = manualClock(0);
    const seen: [string, number][] = [];
    const tick = (): void => {
      if (clock.now() < 86_400) clock.setTimer(100, tick);
    };
    tick();
    clock.setTimer(86_450, () => {
      void (async () => {
        for (let i = 0; i < 15; i++) await new Promise((resolve) => setImmediate(resolve));
        seen.push(['after its I/O', clock.now()]);
        clock.setTimer(1, () => void setImmediate(() => seen.push(['a moment later', clock.now()])));
      })();
    });
    clock.setTimer(86_452, () => void seen.push(['the next one', clock.now()]));
    await clock.advance(90_000);
    expect(seen).toEqual([
      ['after its I/O', 86_450],
      ['a moment later', 86_451],
      ['the next one', 86_452],
    ]);
  });

  it('can be set wrong, either way, and calls nothing by that', async () => {
    const clock = manualClock(1_000);
    let calledAt = 0;
    clock.setTimer(10, () => (calledAt = clock.now()));
    clock.jump(500);
    clock.jump(-100);
    await clock.settle();
    expect([clock.now(), calledAt]).toEqual([1_400, 0]);
    await clock.advance(1);
    expect(calledAt).toBe(1_400);
  });
});
