import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/examples.ts';
import { IDEMPOTENCY_WINDOW_MS, checkIdempotencyKey, decideIdempotency, isExpired } from './idempotency.ts';

const record = { key: 'order-1', fingerprint: 'aaaa', messageId: 'msg_1', createdAt: NOW };

describe('an idempotency key', () => {
  it.each(['a', '~', '!', 'a'.repeat(255), 'order:42/"retry"'])('may be %j', (key) => {
    expect(checkIdempotencyKey(key)).toEqual({ ok: true, value: key });
  });

  it.each(['', ' ', 'a b', 'a'.repeat(256), 'a\n', '\u007f', 'é', '🙂'])('may not be %j', (key) => {
    expect(checkIdempotencyKey(key)).toMatchObject({ refusal: { code: 'INVALID_IDEMPOTENCY_KEY' } });
  });

  it('is 1 to 255 characters from ! to ~, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (key) => {
        const printable = [...key].every((character) => character >= '!' && character <= '~');
        expect(checkIdempotencyKey(key).ok).toBe(printable && key.length >= 1 && key.length <= 255);
      }),
    );
  });
});

describe('a request with a key', () => {
  it('is new when its key is new', () => {
    expect(decideIdempotency(null, 'aaaa', NOW)).toEqual({ ok: true, value: { kind: 'new' } });
  });

  it('is a replay when the first request with the key was the same', () => {
    expect(decideIdempotency(record, 'aaaa', NOW)).toEqual({
      ok: true,
      value: { kind: 'replay', messageId: 'msg_1' },
    });
  });

  it('is refused when the first request with the key was different', () => {
    expect(decideIdempotency(record, 'bbbb', NOW)).toMatchObject({
      refusal: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  it('is new again, whatever it is, after exactly 24 hours', () => {
    expect(IDEMPOTENCY_WINDOW_MS).toBe(24 * 60 * 60 * 1000);
    const end = NOW + IDEMPOTENCY_WINDOW_MS;
    expect(isExpired(record, end - 1)).toBe(false);
    expect(decideIdempotency(record, 'bbbb', end - 1).ok).toBe(false);
    expect(decideIdempotency(record, 'bbbb', end)).toEqual({ ok: true, value: { kind: 'new' } });
  });
});
