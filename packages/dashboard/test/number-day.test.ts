import { describe, expect, it } from 'vitest';
import { stretchesOf } from '../app/src/pages/numbers/day.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 60 * 60 * 1_000;
const at = (ms: number): string => new Date(ms).toISOString();

const DROP = { from: 'connected', to: 'connecting' } as const;
const RETURN = { from: 'connecting', to: 'connected' } as const;
const NUMBER = { status: 'connected', created_at: at(NOW - 100 * HOUR) } as const;
/** A drop three hours ago, which lasted an hour. */
const ENTRIES = [
  { ...RETURN, at: at(NOW - 2 * HOUR) },
  { ...DROP, at: at(NOW - 3 * HOUR) },
];
const SINCE_DROP = [
  { from: NOW - 3 * HOUR, to: NOW - 2 * HOUR, status: 'connecting' },
  { from: NOW - 2 * HOUR, to: NOW, status: 'connected' },
];

describe('the day of a number', () => {
  it('begins with the status before the oldest entry if there are no older ones', () => {
    expect(stretchesOf({ entries: ENTRIES, hasOlder: false }, NUMBER, NOW)).toEqual([
      { from: NOW - 24 * HOUR, to: NOW - 3 * HOUR, status: 'connected' },
      ...SINCE_DROP,
    ]);
  });

  it('begins with the oldest entry that was read if there are older ones', () => {
    expect(stretchesOf({ entries: ENTRIES, hasOlder: true }, NUMBER, NOW)).toEqual(SINCE_DROP);
  });

  it('is whole if only entries from before it were not read', () => {
    const entries = [...ENTRIES, { ...RETURN, at: at(NOW - 30 * HOUR) }];
    expect(stretchesOf({ entries, hasOlder: true }, NUMBER, NOW)).toEqual(
      stretchesOf({ entries, hasOlder: false }, NUMBER, NOW),
    );
  });

  it('begins when the number was added, and is that of its status if it has no entries', () => {
    const number = { ...NUMBER, created_at: at(NOW - HOUR) };
    expect(stretchesOf({ entries: [], hasOlder: false }, number, NOW)).toEqual([
      { from: NOW - HOUR, to: NOW, status: 'connected' },
    ]);
  });
});
