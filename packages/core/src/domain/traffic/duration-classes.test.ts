import { expect, it } from 'vitest';
import { classCount, classesIn, estimateQuantile } from './duration-classes.ts';

const BOUNDS = [100, 250];

it('a class includes its upper end, and the last class has none', () => {
  const durations = [-5, 0, 100, 101, 250, 251, 1e9];
  expect(durations.map((ms) => classCount(ms, BOUNDS))).toEqual([
    'class:0',
    'class:0',
    'class:0',
    'class:1',
    'class:1',
    'class:2',
    'class:2',
  ]);
  expect(classesIn({ 'class:2': 4, sent: 9 }, BOUNDS)).toEqual([0, 0, 4]);
});

it('a quantile is estimated within its class, and is the lower end of the last class', () => {
  expect(estimateQuantile([0, 0, 0], BOUNDS, 0.5)).toBeNull();
  expect(estimateQuantile([10, 0, 0], BOUNDS, 0.5)).toBe(50);
  expect(estimateQuantile([5, 5, 0], BOUNDS, 0.5)).toBe(100);
  expect(estimateQuantile([0, 10, 0], BOUNDS, 0.95)).toBe(243);
  expect(estimateQuantile([1, 0, 9], BOUNDS, 0.5)).toBe(250);
});
