import { describe, expect, it } from 'vitest';
import { systemRandom } from '@trunkline/core/node';

describe('systemRandom', () => {
  it.each([0, 1, 16, 255, 256, 257, 4096, 5000])('makes %i bytes', (length) => {
    const bytes = systemRandom().bytes(length);
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(bytes.length).toBe(length);
  });

  it('never gives the same bytes out twice', () => {
    const random = systemRandom();
    const seen = new Set<string>();
    for (let count = 0; count < 10_000; count += 1) {
      seen.add(Buffer.from(random.bytes(count % 2 === 0 ? 16 : 33)).toString('hex'));
    }
    expect(seen.size).toBe(10_000);
  });

  it('uses every value of a byte about equally often', () => {
    const random = systemRandom();
    const counts = Array.from({ length: 256 }, () => 0);
    for (let count = 0; count < 16_000; count += 1) {
      for (const byte of random.bytes(16)) counts[byte] = (counts[byte] ?? 0) + 1;
    }
    // Each count is 1,000 on average, with a standard deviation of 32.
    expect(Math.min(...counts)).toBeGreaterThan(700);
    expect(Math.max(...counts)).toBeLessThan(1300);
  });

  it('keeps no copy of its output', () => {
    const random = systemRandom();
    const first = random.bytes(16);
    const copy = Uint8Array.from(first);
    expect(first.buffer.byteLength).toBe(16);
    random.bytes(16).fill(0);
    expect(first).toEqual(copy);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a length of %d', (length) => {
    expect(() => systemRandom().bytes(length)).toThrow(RangeError);
  });
});
