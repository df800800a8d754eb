import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRange } from '../src/download.ts';

const SIZE = 1_000;
const etag = '"abc"';
const range = (value: string, more: Readonly<Record<string, string>> = {}): string | null => {
  const found = readRange(new Headers({ Range: value, ...more }), { size: SIZE, etag });
  return found && `${found.start}-${found.end}`;
};

describe('readRange', () => {
  test.each([
    ['bytes=0-0', '0-0'],
    ['bytes=0-499', '0-499'],
    ['bytes=500-', '500-999'],
    ['bytes=-1', '999-999'],
    ['bytes=-5000', '0-999'],
    ['bytes=900-5000', '900-999'],
    ['bytes=999-999999999999999', '999-999'],
  ])('%s is %s', (value, expected) => {
    expect(range(value)).toBe(expected);
  });

  test.each(
    [
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=-0',
      'bytes=1000-',
      'bytes=5-4',
      'bytes=0-1,5-6',
      'bytes = 0-1',
    ].concat([
      'items=0-1',
      'bytes=a-b',
      'bytes=1.5-2',
      'bytes=+1-2',
      'bytes=0x1-2',
      'bytes=1-9999999999999999',
    ]),
  )('%j is the whole file', (value) => {
    expect(range(value)).toBeNull();
  });

  test('is for the version of the file that the client has', () => {
    expect(range('bytes=0-1', { 'If-Range': etag })).toBe('0-1');
    for (const other of ['"abd"', 'W/"abc"', 'Wed, 21 Oct 2026 07:28:00 GMT', '']) {
      expect(range('bytes=0-1', { 'If-Range': other })).toBeNull();
    }
    const unknown = { size: SIZE, etag: null };
    expect(readRange(new Headers({ Range: 'bytes=0-1', 'If-Range': '"abc"' }), unknown)).toBeNull();
  });

  test('is the whole file where that is empty, and without a header', () => {
    for (const value of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) {
      expect(readRange(new Headers({ Range: value }), { size: 0, etag })).toBeNull();
    }
    expect(readRange(new Headers(), { size: SIZE, etag })).toBeNull();
  });

  test('lies within the file, whatever is asked for, and is what was asked for where it can be', () => {
    const bound = fc.oneof(
      fc.constant(''),
      fc.nat(30).map(String),
      fc.bigInt({ min: 0n, max: 10n ** 16n }).map(String),
    );
    fc.assert(
      fc.property(bound, bound, fc.nat(25), (from, to, size) => {
        const found = readRange(new Headers({ Range: `bytes=${from}-${to}` }), { size, etag });
        if (found === null) return;
        expect(found.start).toBeGreaterThanOrEqual(0);
        expect(found.start).toBeLessThanOrEqual(found.end);
        expect(found.end).toBeLessThan(size);
        if (from === '') expect(found).toEqual({ start: Math.max(0, size - Number(to)), end: size - 1 });
        else expect(found.start).toBe(Number(from));
        if (from !== '' && to !== '') expect(found.end).toBe(Math.min(Number(to), size - 1));
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.string(), (value) => {
        const headers = { get: (name: string) => (name === 'Range' ? `bytes=${value}` : null) };
        const found = readRange(headers as Headers, { size: 25, etag }); // `readRange` uses only `get`
        expect(found === null || (found.start <= found.end && found.end < 25)).toBe(true);
      }),
    );
  });
});
