import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTime, timestamp, timestampOrNull } from '../../src/resources/time.ts';

const TIME = Date.UTC(2026, 10, 20, 21, 15, 0, 123);
const until2100 = Date.UTC(2100, 0, 1);

describe('a REST timestamp', () => {
  it('is ISO 8601 with milliseconds and an offset', () => {
    expect(timestamp(TIME)).toBe('2026-11-20T21:15:00.123+00:00');
    expect(timestamp(0)).toBe('1970-01-01T00:00:00.000+00:00');
  });

  it('is null without a time, and the epoch is a time', () => {
    expect(timestampOrNull(null)).toBeNull();
    expect(timestampOrNull(0)).toBe('1970-01-01T00:00:00.000+00:00');
  });

  it('reads back as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: until2100 }), (time) => {
        expect(Date.parse(timestamp(time))).toBe(time);
      }),
    );
  });
});

describe('the time of an event', () => {
  it.each([
    [TIME * 1000, '2026-11-20T21:15:00.123000Z'],
    [TIME * 1000 + 7, '2026-11-20T21:15:00.123007Z'],
    [TIME * 1000 + 999, '2026-11-20T21:15:00.123999Z'],
    [TIME * 1000 + 1000, '2026-11-20T21:15:00.124000Z'],
  ])('%d is %s', (microseconds, text) => {
    expect(eventTime(microseconds)).toBe(text);
  });

  it('sorts as text in the order of the times', () => {
    const time = fc.integer({ min: 0, max: until2100 * 1000 });
    fc.assert(
      fc.property(time, time, (a, b) => {
        expect(eventTime(a)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expect(eventTime(a) < eventTime(b)).toBe(a < b);
      }),
    );
  });
});
