import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/**
 * The system's generator. A call costs the same for 16 bytes as for thousands, so small requests share a
 * call.
 */
export function systemRandom(): Random {
  const pool = new Uint8Array(POOL_SIZE);
  let used = POOL_SIZE;
  return {
    bytes(length) {
      if (!Number.isInteger(length) || length < 0)
        throw new RangeError('length must be a whole number, 0 or more.');
      if (length > LONGEST_POOLED) return randomFillSync(new Uint8Array(length));
      if (used + length > POOL_SIZE) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.slice(used, used + length);
      // The caller may use the bytes as a key, so no copy may stay here.
      pool.fill(0, used, used + length);
      used += length;
      return bytes;
    },
  };
}

const POOL_SIZE = 4096;
const LONGEST_POOLED = 256;
