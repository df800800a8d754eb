import { expect, it } from 'vitest';
import { throttleByName } from '../app/src/live/throttle.ts';
import { manualTimers } from './support/manual-timers.ts';

function harness(): {
  readonly runs: string[];
  readonly give: (name: string) => void;
  pass(ms: number): void;
} {
  const timers = manualTimers();
  const runs: string[] = [];
  const { give } = throttleByName<string>((name) => runs.push(`${name} ${timers.now()}`), timers);
  return { runs, give, pass: timers.pass };
}

it('a burst of hints is one read, soon', () => {
  const { runs, give, pass } = harness();
  for (let i = 0; i < 100; i++) give('messages');
  pass(99);
  expect(runs).toEqual([]);
  pass(1);
  expect(runs).toEqual(['messages 100']);
});

it('each name has its own pace', () => {
  const { runs, give, pass } = harness();
  give('messages');
  give('numbers');
  pass(100);
  expect(runs).toEqual(['messages 100', 'numbers 100']);
});

it('a minute of continuous traffic is read a few times, and its end is not missed', () => {
  const { runs, give, pass } = harness();
  for (let ms = 0; ms < 60_000; ms += 50) {
    give('messages');
    pass(50);
  }
  expect(runs.length).toBeLessThan(14);
  const before = runs.length;
  give('messages');
  pass(8_000);
  expect(runs).toHaveLength(before + 1);
});

it('after a pause the next hint is read soon again', () => {
  const { runs, give, pass } = harness();
  for (let ms = 0; ms < 20_000; ms += 50) {
    give('messages');
    pass(50);
  }
  pass(60_000);
  const before = runs.length;
  give('messages');
  pass(100);
  expect(runs).toHaveLength(before + 1);
});
