import { describe, expect, it } from 'vitest';
import { DAY_MS, slotsOf } from '../app/src/pages/webhooks/day.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 60 * 60 * 1_000;
const at = (ms: number): string => new Date(ms).toISOString();

const failed = (created: number) =>
  ({ status: 'retrying', created_at: at(created), delivered_at: null }) as const;
const delivered = (created: number, tookMs: number) =>
  ({ status: 'success', created_at: at(created), delivered_at: at(created + tookMs) }) as const;

describe('the day of a webhook', () => {
  it('has 24 equal parts, each with what arrived in it, what did not, and how long it took', () => {
    const slots = slotsOf(
      [
        { status: 'pending', created_at: at(NOW - 1), delivered_at: null },
        delivered(NOW - HOUR / 2, 900),
        delivered(NOW - HOUR / 2, 100),
        delivered(NOW - HOUR / 2, 300),
        failed(NOW - 3 * HOUR + 1),
        { ...failed(NOW - 3 * HOUR + 1), status: 'exhausted' },
      ],
      NOW - DAY_MS,
      NOW,
    );
    expect(slots).toHaveLength(24);
    expect(slots[23]).toEqual({ from: NOW - HOUR, delivered: 3, failed: 0, open: 1, medianMs: 300 });
    expect(slots[21]).toEqual({ from: NOW - 3 * HOUR, delivered: 0, failed: 2, open: 0, medianMs: null });
    expect(slots.filter((slot) => slot.delivered + slot.failed + slot.open > 0)).toHaveLength(2);
  });

  it('counts deliveries that a differing clock puts outside of it at its ends', () => {
    const slots = slotsOf([delivered(NOW + HOUR, -5_000), failed(NOW - 2 * DAY_MS)], NOW - DAY_MS, NOW);
    expect(slots[23]).toMatchObject({ delivered: 1, medianMs: 0 });
    expect(slots[0]).toMatchObject({ failed: 1 });
  });
});
