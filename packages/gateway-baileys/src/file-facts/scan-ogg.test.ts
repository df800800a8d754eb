import { describe, expect, it } from 'vitest';
import { factsIn } from '../../test/support/files.ts';
import { scannerOf } from './file-facts.ts';
import type { FileFacts } from './scanner.ts';

/** Pages of Ogg whose packets have these sizes, after the two header packets of Opus, which delays by 312 samples. */
function ogg(sizes: readonly number[], samples: number = 0): Uint8Array {
  const segments = [19, 16, ...sizes].flatMap((size) => [
    ...Array.from({ length: Math.floor(size / 255) }, () => 255),
    size % 255,
  ]);
  const pages: Uint8Array[] = [];
  for (let first = 0; first < segments.length; first += 255) {
    const table = segments.slice(first, first + 255);
    const page = Buffer.alloc(27 + table.length + table.reduce((sum, size) => sum + size, 0), 0x4f);
    page.write('OggS');
    page.writeBigInt64LE(first + 255 < segments.length ? -1n : BigInt(samples), 6);
    page[26] = table.length;
    page.set(table, 27);
    if (first === 0) {
      page.write('OpusHead', 27 + table.length);
      page.writeUInt16LE(312, 27 + table.length + 10);
    }
    pages.push(page);
  }
  return Buffer.concat(pages);
}

const factsOf = (bytes: Uint8Array, chunkSize?: number): Promise<FileFacts> =>
  factsIn(bytes, scannerOf('audio/ogg; codecs=opus'), chunkSize);

async function waveformOf(bytes: Uint8Array): Promise<readonly number[]> {
  const { waveform = [] } = await factsOf(bytes);
  return [...waveform];
}

const repeated = (count: number, size: number): readonly number[] =>
  Array.from({ length: count }, () => size);

describe('the waveform of a voice message', () => {
  it('is high where packets are large, and low where they are small', async () => {
    const waveform = await waveformOf(ogg([...repeated(320, 8), ...repeated(320, 80), ...repeated(320, 40)]));
    expect(waveform).toHaveLength(64);
    expect(waveform.slice(0, 20)).toEqual(repeated(20, 10));
    expect(waveform.slice(22, 42)).toEqual(repeated(20, 100));
    expect(waveform.slice(44)).toEqual(repeated(20, 50));
  });

  it('has 64 bars for a few packets, even for packets of several segments', async () => {
    expect(await waveformOf(ogg([300, 600]))).toEqual([...repeated(32, 50), ...repeated(32, 100)]);
  });

  it('covers a file of hours', async () => {
    const waveform = await waveformOf(ogg([...repeated(100_000, 1), ...repeated(100_000, 2)]));
    expect(waveform.slice(0, 31)).toEqual(repeated(31, 50));
    expect(waveform.slice(33)).toEqual(repeated(31, 100));
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['something else', new TextEncoder().encode('ID3 is no Ogg')],
    ['only the headers', ogg([])],
    ['a page that is cut off', ogg([80]).slice(0, 20)],
  ])('is flat for %s', async (_, bytes) => {
    expect(await waveformOf(bytes)).toEqual(repeated(64, 0));
  });

  it('ends at bytes that are not a page', async () => {
    const bytes = Buffer.concat([ogg([10, 20]), Buffer.from('not a page'), ogg([200])]);
    expect(await waveformOf(bytes)).toEqual([...repeated(32, 50), ...repeated(32, 100)]);
  });
});

describe('the duration of a voice message', () => {
  it.each([
    [48_000 * 7 + 312, 7],
    [48_000 * 6.6 + 312, 7],
    [500, 1],
    [312, undefined],
    [0, undefined],
  ])('with %i samples is %s s', async (samples, seconds) => {
    expect((await factsOf(ogg(repeated(300, 40), samples))).seconds).toBe(seconds);
  });

  it('is left out if no recording is that long', async () => {
    expect((await factsOf(ogg([40], 2 ** 53))).seconds).toBeUndefined();
  });
});

it.each([5, 26, 27, 28, 254, 255, 256])('an Ogg file is read in chunks of %i bytes', async (chunkSize) => {
  const bytes = ogg(
    Array.from({ length: 500 }, (_, index) => (index * 37) % 300),
    96_312,
  );
  const whole = await factsOf(bytes);
  expect(whole).toMatchObject({ seconds: 2 });
  expect(await factsOf(bytes, chunkSize)).toEqual(whole);
});
