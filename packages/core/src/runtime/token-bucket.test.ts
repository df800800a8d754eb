import { expect, it } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

const NOW = 1_000_000;

it('limited turns begin with a burst, and then come one in each interval', () => {
  const turns = createTokenBucket({ burst: 3, everyMs: 200 });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(turns.has(NOW)).toBe(true);
    turns.take(NOW);
  }
  expect(turns.has(NOW)).toBe(false);
  expect(turns.nextAt()).toBe(NOW + 200);
  expect(turns.has(NOW + 199)).toBe(false);
  expect(turns.has(NOW + 200)).toBe(true);
  turns.take(NOW + 200);
  expect(turns.has(NOW + 399)).toBe(false);
});

it('limited turns that were not taken add up to at most a burst', () => {
  const turns = createTokenBucket({ burst: 2, everyMs: 200 });
  turns.take(NOW);
  turns.take(NOW);
  const later = NOW + 60_000;
  turns.take(later);
  turns.take(later);
  expect(turns.has(later)).toBe(false);
  expect(turns.nextAt()).toBe(later + 200);
});
