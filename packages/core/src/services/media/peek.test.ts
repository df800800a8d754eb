import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peek } from './file-type.ts';

function streamOf(...chunks: readonly Uint8Array[]): {
  readonly stream: ReadableStream<Uint8Array>;
  cancelled(): unknown;
  pulled(): number;
} {
  let cancelled: unknown;
  let pulled = 0;
  const left = [...chunks];
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = left.shift();
        if (!chunk) return controller.close();
        pulled += 1;
        controller.enqueue(chunk);
      },
      cancel(reason) {
        cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, cancelled: () => cancelled, pulled: () => pulled };
}

async function read(stream: ReadableStream<Uint8Array>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const chunk of stream) all.push(...chunk);
  return all;
}

describe('peek', () => {
  it('shows the first bytes and takes nothing away, however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 9 })), fc.nat(30), async (chunks, length) => {
        const content = chunks.flatMap((chunk) => [...chunk]);
        const { first, whole } = await peek(streamOf(...chunks).stream, length);
        expect([...first]).toEqual(content.slice(0, length));
        expect(await read(whole)).toEqual(content);
      }),
    );
  });

  it('reads no further than it must', async () => {
    const source = streamOf(...Array.from({ length: 10 }, () => new Uint8Array(4)));
    await peek(source.stream, 6);
    // `whole` reads the third chunk ahead.
    expect(source.pulled()).toBeLessThanOrEqual(3);
  });

  it('passes on that the rest is not wanted', async () => {
    const source = streamOf(new Uint8Array(4), new Uint8Array(4), new Uint8Array(4));
    const { whole } = await peek(source.stream, 2);
    await whole.cancel('enough');
    expect(source.cancelled()).toBe('enough');
  });

  it('passes on a failure, immediately or later', async () => {
    const broken = (after: number): ReadableStream<Uint8Array> => {
      let pulls = 0;
      return new ReadableStream({
        pull(controller) {
          if (pulls === after) controller.error(new Error('reset'));
          else controller.enqueue(new Uint8Array(4));
          pulls += 1;
        },
      });
    };
    await expect(peek(broken(0), 2)).rejects.toThrow('reset');
    const { whole } = await peek(broken(2), 2);
    await expect(read(whole)).rejects.toThrow('reset');
  });
});
