import { manualClock, seededRandom } from '@trunkline/core/testing';
import { describe, expect, it } from 'vitest';
import { baileysGateway } from '../index.ts';
import { createPace } from './pace.ts';

describe('the pace of an instance', () => {
  it('sends the first message immediately, and the others apart, irregularly', () => {
    const clock = manualClock();
    const pace = createPace({ clock, random: seededRandom(7) });
    const at = Array.from({ length: 200 }, () => pace.next({ messagesPerMinute: 30 }));
    expect(at[0]).toBe(0);
    const distances = at.slice(1).map((time, i) => time - (at[i] ?? 0));
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(999);
    expect(Math.max(...distances)).toBeLessThanOrEqual(3_001);
    expect(new Set(distances).size).toBeGreaterThan(50);
    const average = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
    expect(average).toBeGreaterThan(1_850);
    expect(average).toBeLessThan(2_150);
  });

  it('lets an instance that was silent write immediately', async () => {
    const clock = manualClock();
    const pace = createPace({ clock, random: seededRandom(1) });
    pace.next({ messagesPerMinute: 3 });
    await clock.advance(60_000);
    expect(pace.next({ messagesPerMinute: 3 })).toBe(0);
  });

  it('delays no message if it is not set', () => {
    const pace = createPace({ clock: manualClock(), random: seededRandom(1) });
    expect([pace.next(null), pace.next(null), pace.next(null)]).toEqual([0, 0, 0]);
  });

  it.each([0, 2, 601, -1, Number.NaN])('refuses %s messages a minute', (messagesPerMinute) => {
    expect(() => baileysGateway({ pace: { messagesPerMinute } })).toThrow('pace.messagesPerMinute');
  });
});
