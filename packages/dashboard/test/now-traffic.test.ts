import { describe, expect, it } from 'vitest';
import { countTicks, labelledBars } from '../app/src/components/axis.ts';
import { idsOf, listed } from '../app/src/pages/now/listed.ts';
import { durationText } from '../app/src/pages/now/duration-text.ts';
import { nowSearch, RANGES } from '../app/src/pages/now/search.ts';
import {
  deliveredShare,
  failuresOf,
  firstFailure,
  PERIODS_OF,
  slotsOf,
  toneOfCounts,
} from '../app/src/pages/now/traffic.ts';

const QUARTER = 15 * 60_000;
const HOUR = 4 * QUARTER;

describe('the range of time', () => {
  it('is in the address, except the default one and one that does not exist', () => {
    expect(RANGES.map((range) => nowSearch({ range }))).toEqual([
      { range: '1h' },
      {},
      { range: '7d' },
      { range: '30d' },
    ]);
    expect(nowSearch({ range: '2y' })).toEqual({});
  });

  it('has at most 170 periods, the partial ones at its ends included', () => {
    const length = { quarter: QUARTER, hour: HOUR, day: 24 * HOUR };
    const counts = Object.values(PERIODS_OF).map(({ lengthMs, step }) => lengthMs / length[step] + 1);
    expect(counts).toEqual([5, 97, 169, 31]);
  });
});

describe('the periods of a series', () => {
  it('include those without counts, oldest first', () => {
    const from = '2026-11-20T10:00:00.000+00:00';
    const start = '2026-11-20T11:00:00.000+00:00';
    const series = {
      from,
      to: '2026-11-20T13:00:00.000+00:00',
      step: 'hour',
      periods: [{ start, sent: 4 }],
    } as const;
    const first = Date.parse(from);
    expect(slotsOf(series)).toEqual([
      { from: first, to: first + HOUR, counts: null },
      { from: first + HOUR, to: first + 2 * HOUR, counts: { start, sent: 4 } },
      { from: first + 2 * HOUR, to: first + 3 * HOUR, counts: null },
    ]);
  });

  it('are good, bad or between by what failed', () => {
    const tones = [
      [0, 0],
      [3, 0],
      [3, 1],
      [1, 1],
      [1, 2],
      [0, 1],
    ].map(([well = 0, failed = 0]) => toneOfCounts(well, failed));
    expect(tones).toEqual(['idle', 'good', 'act', 'act', 'bad', 'bad']);
  });
});

it('the failures are summed, and the most frequent code is the first', () => {
  const failed = { not_on_network: 2, recipient_refused: 5, timed_out: 1 };
  expect(failuresOf({ failed })).toBe(8);
  expect(firstFailure(failed)).toEqual({ code: 'recipient_refused', count: 5 });
  expect(firstFailure({})).toBeNull();
});

it('the share of delivered messages is known if any was sent, and is never more than all', () => {
  expect(deliveredShare({ sent: 0, delivered: 3 })).toBeNull();
  expect(deliveredShare({ sent: 4, delivered: 3 })).toBe(0.75);
  expect(deliveredShare({ sent: 2, delivered: 3 })).toBe(1);
});

it('a duration is in milliseconds, seconds or minutes', () => {
  const texts = [null, 0, 340, 2_130, 45_400, 300_000].map((ms) => durationText('en', ms));
  expect(texts).toEqual(['–', '0 ms', '340 ms', '2.1 sec', '45 sec', '5 min']);
});

describe('an axis', () => {
  it('has at most five round numbers, the last of which no bar exceeds', () => {
    expect(countTicks(0)).toEqual([0, 1]);
    expect(countTicks(1)).toEqual([0, 1]);
    expect(countTicks(4)).toEqual([0, 1, 2, 3, 4]);
    expect(countTicks(5)).toEqual([0, 2, 4, 6]);
    expect(countTicks(210)).toEqual([0, 100, 200, 300]);
    expect(countTicks(81_000)).toEqual([0, 50_000, 100_000]);
    for (let most = 1; most < 3_000; most++) {
      const ticks = countTicks(most);
      expect(ticks.length, String(most)).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
      expect(ticks.at(-2)).toBeLessThan(most);
    }
  });

  it('labels each of a few bars, the quarters of a day, each day, or every tenth day', () => {
    const starts = (count: number, step: number): number[] =>
      Array.from({ length: count }, (_, index) => new Date(2026, 10, 20, 10, 0).getTime() + index * step);
    expect(labelledBars(starts(5, QUARTER), 'quarter')).toEqual([0, 1, 2, 3, 4]);
    // 12:00, 18:00, 00:00 and 06:00 after 10:00.
    expect(labelledBars(starts(97, QUARTER), 'quarter')).toEqual([8, 32, 56, 80]);
    expect(labelledBars(starts(49, HOUR), 'hour')).toEqual([14, 38]);
    expect(labelledBars(starts(31, 24 * HOUR), 'day')).toEqual([0, 10, 20, 30]);
  });
});

it('a table on Now has all rows that need attention, and others up to twenty', () => {
  const rows = (count: number, isBad: boolean) =>
    Array.from({ length: count }, (_, index) => ({ id: `${isBad ? 'bad' : 'well'}${index}`, isBad }));
  const of = (well: number, bad: number): number[] => {
    const shown = listed([...rows(well, false), ...rows(bad, true)], ({ isBad }) => isBad);
    expect(shown.slice(0, bad).every(({ isBad }) => isBad)).toBe(true);
    return [shown.length, shown.filter(({ isBad }) => isBad).length];
  };
  expect([of(3, 2), of(30, 2), of(30, 25)]).toEqual([
    [5, 2],
    [20, 2],
    [25, 25],
  ]);
  expect(idsOf(rows(120, true)).split(',')).toHaveLength(100);
  expect(idsOf(rows(3, true).toReversed())).toBe(idsOf(rows(3, true)));
});
