import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconnectDelay } from './backoff.ts';

describe('the wait before connecting again', () => {
  it('doubles from a second to a minute', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 7, 5000].map((failures) => reconnectDelay(failures, 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is shortened by up to half', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, jitter) => {
          const full = reconnectDelay(failures, 0);
          const wait = reconnectDelay(failures, jitter);
          expect(wait).toBeGreaterThanOrEqual(full / 2);
          expect(wait).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});
