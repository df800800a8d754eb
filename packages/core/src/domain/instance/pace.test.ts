import { expect, it } from 'vitest';
import { seededRandom } from '../../testing/index.ts';
import { latestHold } from '../too-far-ahead.ts';
import { dayOfNewNumber, paceOf, PACED_AGAIN_MS, PACES, sendInterval, typingTime } from './pace.ts';

const DAY = 86_400_000;
const LINKED = Date.UTC(2026, 10, 1, 9, 30);

it('the intervals of a pace vary around their average, by half of it at most', () => {
  const random = seededRandom(7);
  const intervals = Array.from({ length: 1_000 }, () =>
    sendInterval({ ...PACES.off, messagesPerMinute: 30 }, (random.bytes(1)[0] ?? 0) / 256),
  );
  expect(Math.min(...intervals)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...intervals)).toBeLessThanOrEqual(3_000);
  expect(new Set(intervals).size).toBeGreaterThan(100);
  const average = intervals.reduce((sum, interval) => sum + interval, 0) / intervals.length;
  expect(average).toBeGreaterThan(1_900);
  expect(average).toBeLessThan(2_100);
  expect(sendInterval(PACES.off, 0.5)).toBe(0);
});

it('a text is typed for 0.5 to 5 seconds, longer if it is longer', () => {
  expect(typingTime('Hi', 0)).toBe(1_000);
  expect(typingTime('Hi', 0.99)).toBeGreaterThan(500);
  expect(typingTime('x'.repeat(60), 0)).toBe(3_000);
  expect(typingTime('x'.repeat(4_096), 0)).toBe(5_000);
});

it('an instance has the pace that was chosen for it, or else that of its connection, or else none', () => {
  const pace = { messagesPerMinute: 5, newPeoplePerDay: 1, typing: true };
  expect(paceOf({ pace: 'gentle' }, { pace })).toBe(PACES.gentle);
  expect(paceOf({ pace: 'off' }, { pace })).toBe(PACES.off);
  expect(paceOf({ pace: null }, { pace })).toBe(pace);
  expect(paceOf({ pace: null }, {})).toBe(PACES.off);
  expect(paceOf({ pace: null }, null)).toBe(PACES.off);
});

it.for([
  ['the moment of its linking', 0, 0],
  ['the end of its first day', DAY - 1, 0],
  ['the beginning of its second day', DAY, 1],
  ['the end of its tenth day', 10 * DAY - 1, 9],
  ['a clock that is slightly behind', -5_000, 0],
] as const)('a number is new at %s', ([, after, day]) => {
  const from = LINKED + day * DAY;
  expect(dayOfNewNumber(LINKED, LINKED + after)).toEqual({ linkedAt: LINKED, from, until: from + DAY });
});

it.for([
  ['after ten days', LINKED, LINKED + 10 * DAY],
  ['without a linked number', null, LINKED],
  ['after the clock was set back', LINKED, LINKED - 5_001],
] as const)('no number is new %s', ([, linkedAt, now]) => {
  expect(dayOfNewNumber(linkedAt, now)).toBeNull();
});

it('no message is held for so long that it would count as held before the clock was set back', () => {
  expect(PACED_AGAIN_MS).toBeLessThan(latestHold(0));
});
