import { Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { standardInput } from '../src/commands/standard-input.ts';

const { signal } = new AbortController();

function give(...chunks: readonly (string | Uint8Array)[]): void {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(
    // The cast is safe because only stdin's chunks are read.
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as typeof process.stdin,
  );
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('standard input is read to its end, wherever it is divided', async () => {
  const bytes = Buffer.from('¿Qué?\n');
  give(bytes.subarray(0, 1), bytes.subarray(1, 5), bytes.subarray(5));
  expect(await standardInput(signal)).toBe('¿Qué?\n');
});

it('standard input that never ends is refused when it is too long', async () => {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(
    Readable.from(
      (function* yes() {
        for (;;) yield Buffer.from('y\n'.repeat(1_000));
      })(),
    ) as typeof process.stdin, // as above
  );
  await expect(standardInput(signal)).rejects.toThrow('Standard input has more than 64 KiB.');
});

it('standard input that is not UTF-8 is refused', async () => {
  give(Uint8Array.of(0x68, 0xff));
  await expect(standardInput(signal)).rejects.toThrow('Standard input is not text in UTF-8.');
});

it('waiting for standard input ends at a signal', async () => {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(new Readable({ read() {} }) as typeof process.stdin); // as above
  const ended = new AbortController();
  const reading = standardInput(ended.signal);
  ended.abort(new Error('SIGINT'));
  await expect(reading).rejects.toThrow();
});
