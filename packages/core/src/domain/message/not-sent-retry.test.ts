import { describe, expect, it } from 'vitest';
import { holdDelay } from './not-sent-retry.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 20);

/** The times after acceptance, in milliseconds, of all sends of a message that the network never takes. */
function sendsOf(retryAfterMs: number, firstSentAfterMs = 0): readonly number[] {
  const heldSince = NOW + firstSentAfterMs;
  const sends = [firstSentAfterMs];
  for (let now = heldSince; sends.length < 1000; sends.push(now - NOW)) {
    const delay = holdDelay({ dueSince: NOW, heldSince, retryAfterMs, now });
    if (delay === null) break;
    now += delay;
  }
  return sends;
}

describe('the wait of a message that the network does not take', () => {
  it('is what the gateway asks for, then doubles up to half an hour, until four hours after acceptance', () => {
    const sends = sendsOf(10 * SECOND);
    expect(sends.slice(0, 6)).toEqual([0, 10, 20, 40, 80, 160].map((at) => at * SECOND));
    const waits = sends.slice(1).map((at, i) => at - (sends[i] ?? 0));
    expect(Math.max(...waits)).toBe(30 * MINUTE);
    expect(sends.at(-1)).toBe(4 * HOUR);
  });

  it('is never shorter than the gateway asks for, while that is half an hour or less', () => {
    const sends = sendsOf(20 * MINUTE);
    expect(sends.slice(0, 4)).toEqual([0, 20, 40, 70].map((at) => at * MINUTE));
    expect(sendsOf(5 * HOUR)[1]).toBe(30 * MINUTE);
  });

  it.each([Number.NaN, Infinity, -Infinity, -1, 0])(
    'is sensible when the gateway asks for %s ms',
    (asked) => {
      const sends = sendsOf(asked);
      expect(sends[1]).toBeGreaterThanOrEqual(SECOND);
      expect(sends[1]).toBeLessThanOrEqual(MINUTE);
      expect(sends.length).toBeLessThan(40);
      expect(sends.at(-1)).toBe(4 * HOUR);
    },
  );

  it('gives a message that waited five hours for its connection five minutes more', () => {
    const sends = sendsOf(10 * SECOND, 5 * HOUR);
    expect(sends.length).toBeGreaterThan(4);
    expect(sends.at(-1)).toBe(5 * HOUR + 5 * MINUTE);
  });

  it('does not end a message because the clock was set back after it was accepted', () => {
    const before = NOW + 365 * 24 * HOUR;
    expect(holdDelay({ dueSince: before, heldSince: before, retryAfterMs: SECOND, now: NOW })).toBe(SECOND);
    expect(
      holdDelay({ dueSince: before, heldSince: NOW, retryAfterMs: SECOND, now: NOW + 4 * HOUR }),
    ).toBeNull();
  });
});
