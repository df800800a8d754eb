import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBuffer } from '../src/byte-buffer.ts';

describe('bytes that arrive in chunks', () => {
  test('take no more than twice their own memory when they arrive one by one', () => {
    const buffer = createByteBuffer();
    for (let at = 0; at < 1_000_000; at++) buffer.append(Uint8Array.of(at % 251));
    expect(buffer.length).toBe(1_000_000);
    expect(buffer.bytes().buffer.byteLength).toBeLessThanOrEqual(2_000_000);
    expect(buffer.bytes().at(-1)).toBe(999_999 % 251);
  });

  test('are kept without a copy while there is one chunk', () => {
    const chunk = new Uint8Array(10);
    const buffer = createByteBuffer();
    buffer.append(chunk);
    expect(buffer.bytes().buffer).toBe(chunk.buffer);
  });

  test('are the same as in an array, however they are appended and dropped, and never change once they are read', () => {
    const step = fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((chunk) => ({ chunk, count: 0 })),
      fc.nat(30).map((count) => ({ chunk: new Uint8Array(), count })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const buffer = createByteBuffer();
        let expected: number[] = [];
        const read: { bytes: Uint8Array; content: readonly number[] }[] = [];
        for (const { chunk, count } of steps) {
          const given = chunk.slice();
          buffer.append(chunk);
          expect(chunk).toEqual(given);
          expected.push(...given);
          const dropped = Math.min(count, expected.length);
          buffer.drop(dropped);
          expected = expected.slice(dropped);
          expect([...buffer.bytes()]).toEqual(expected);
          read.push({ bytes: buffer.bytes(), content: expected.slice() });
        }
        for (const { bytes, content } of read) expect([...bytes]).toEqual(content);
      }),
    );
  });
});
