import { describe, expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { timelyStream } from './incoming-files.ts';

const PATIENCE = { stalledMs: 1_000, longestMs: 60_000 };

const never = <Value>(): Promise<Value> => new Promise(() => {});
const ended = (stream: ReadableStream<Uint8Array>): Promise<string> =>
  new Response(stream).bytes().then(
    (bytes) => `${bytes.length} bytes`,
    (error: unknown) => String(error),
  );

describe('timelyStream', () => {
  it('passes on chunks that come in time, however long the whole takes', async () => {
    const clock = manualClock();
    let left = 3;
    const slow = async (): Promise<ReadableStream<Uint8Array>> =>
      new ReadableStream({
        async pull(controller) {
          await new Promise<void>((resolve) => void clock.setTimer(900, resolve));
          if (left === 0) return controller.close();
          left -= 1;
          controller.enqueue(new Uint8Array(2));
        },
      });
    const result = ended(timelyStream(clock, PATIENCE, slow));
    await clock.advance(10_000);
    expect(await result).toBe('6 bytes');
  });

  it('fails when it is not opened in time, and closes a stream that opens late', async () => {
    const clock = manualClock();
    let cancelled = false;
    const late = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const result = ended(timelyStream(clock, PATIENCE, () => late.promise));
    await clock.advance(1_000);
    expect(await result).toBe('Error: The source of the file sent nothing for 1000 ms.');
    late.resolve(new ReadableStream({ cancel: () => void (cancelled = true) }));
    await clock.settle();
    expect(cancelled).toBe(true);
  });

  it('fails when it stalls, and cancels its source', async () => {
    const clock = manualClock();
    let cancelled: unknown;
    const stalls = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(5)),
      pull: () => never(),
      cancel: (reason) => void (cancelled = reason),
    });
    const result = ended(timelyStream(clock, PATIENCE, async () => stalls));
    await clock.advance(1_000);
    expect(await result).toBe('Error: The source of the file sent nothing for 1000 ms.');
    expect(String(cancelled)).toBe('Error: The source of the file sent nothing for 1000 ms.');
  });

  it('fails when all of it takes too long, however steadily it comes', async () => {
    const clock = manualClock();
    const drips = async (): Promise<ReadableStream<Uint8Array>> =>
      new ReadableStream({
        async pull(controller) {
          await new Promise<void>((resolve) => void clock.setTimer(900, resolve));
          controller.enqueue(new Uint8Array(1));
        },
      });
    const result = ended(timelyStream(clock, PATIENCE, drips));
    await clock.advance(60_000);
    expect(await result).toBe('Error: The source of the file did not send all of it in 60000 ms.');
  });

  it('fails as its source does, and is ended by its reader', async () => {
    const clock = manualClock();
    expect(await ended(timelyStream(clock, PATIENCE, () => Promise.reject(new Error('expired'))))).toBe(
      'Error: expired',
    );
    let cancelled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => void (cancelled = true),
    });
    const reader = timelyStream(clock, PATIENCE, async () => source).getReader();
    await reader.read();
    await reader.cancel();
    expect(cancelled).toBe(true);
  });
});
