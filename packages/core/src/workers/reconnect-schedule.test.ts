import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createReconnectSchedule } from './reconnect-schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The jitter that shortens the waits most, and the jitter that keeps them unchanged. */
const JITTERS = { least: 255, most: 0 } as const;

/** Returns when connections are opened if each ends as described, in milliseconds after the first opening. */
async function logins(
  jitter: number,
  until: number,
  { openMs, end }: { readonly openMs: number; readonly end: 'failed' | 'restarted' },
): Promise<readonly number[]> {
  const clock = manualClock();
  const start = clock.now();
  const random = { bytes: (length: number) => new Uint8Array(length).fill(jitter) };
  const schedule = createReconnectSchedule({ clock, random });
  const at: number[] = [];
  while (clock.now() - start <= until) {
    at.push(clock.now() - start);
    schedule.opened();
    await clock.advance(openMs);
    schedule[end]();
    await clock.advance(Math.max(0, schedule.retryAt() - clock.now()));
  }
  return at;
}

describe('connections that open and end again', () => {
  it.each(Object.entries(JITTERS))(
    'right away: at most 8 in 5 minutes, with the %s wait',
    async (_, jitter) => {
      const at = await logins(jitter, 5 * MINUTE, { openMs: 0, end: 'failed' });
      expect(at.length).toBeLessThanOrEqual(8);
      expect(at.length).toBeGreaterThanOrEqual(5);
      expect(at[1]).toBeLessThanOrEqual(SECOND);
    },
  );

  it.each(Object.entries(JITTERS))(
    'since the network asks for a restart each time: at most 8 in 5 minutes, the first one immediately, with the %s wait',
    async (_, jitter) => {
      const at = await logins(jitter, 5 * MINUTE, { openMs: 0, end: 'restarted' });
      expect(at[1]).toBe(0);
      expect(at.length).toBeLessThanOrEqual(8);
    },
  );

  it('after half a minute each: the first five are back within a second', async () => {
    const at = await logins(JITTERS.most, 3 * MINUTE, { openMs: 30 * SECOND, end: 'failed' });
    expect(at.slice(0, 6)).toEqual([0, 31, 62, 93, 124, 155].map((seconds) => seconds * SECOND));
  });

  it('after five minutes each: all are back within a second', async () => {
    const at = await logins(JITTERS.most, 60 * MINUTE, { openMs: 5 * MINUTE, end: 'failed' });
    for (const [i, time] of at.entries()) expect(time).toBe(i * (5 * MINUTE + SECOND));
    expect(at.length).toBeGreaterThan(10);
  });

  it('do not wait longer than five minutes', async () => {
    const at = await logins(JITTERS.most, 60 * MINUTE, { openMs: 0, end: 'failed' });
    const waits = at.slice(1).map((time, i) => time - (at[i] ?? 0));
    expect(Math.max(...waits)).toBe(5 * MINUTE);
  });
});
