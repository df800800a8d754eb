import { describe, expect, it } from 'vitest';
import { withWaveform } from './waveform.ts';

/** Pages of Ogg whose packets have these sizes, after the two header packets of Opus. */
function ogg(sizes: readonly number[]): Uint8Array {
  const segments = [19, 16, ...sizes].flatMap((size) => [
    ...Array.from({ length: Math.floor(size / 255) }, () => 255),
    size % 255,
  ]);
  const pages: Uint8Array[] = [];
  for (let first = 0; first < segments.length; first += 255) {
    const table = segments.slice(first, first + 255);
    const page = new Uint8Array(27 + table.length + table.reduce((sum, size) => sum + size, 0)).fill(0x4f);
    page.set(new TextEncoder().encode('OggS'));
    page[26] = table.length;
    page.set(table, 27);
    pages.push(page);
  }
  return Buffer.concat(pages);
}

async function waveformOf(bytes: Uint8Array, chunkSize = bytes.length): Promise<readonly number[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  );
  const { content, waveform } = withWaveform(new Blob(chunks.map((chunk) => chunk.slice())).stream());
  expect(Buffer.from(await new Response(content).arrayBuffer())).toEqual(Buffer.from(bytes));
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

  it.each([1, 2, 7, 26, 27, 28, 254, 255, 256])('is the same in chunks of %i bytes', async (chunkSize) => {
    const bytes = ogg(Array.from({ length: 500 }, (_, index) => (index * 37) % 300));
    const { content, waveform } = withWaveform(new Blob([Buffer.from(bytes)]).stream());
    await new Response(content).arrayBuffer();
    const inChunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += chunkSize)
          controller.enqueue(bytes.slice(at, at + chunkSize));
        controller.close();
      },
    });
    const divided = withWaveform(inChunks);
    await new Response(divided.content).arrayBuffer();
    expect(divided.waveform).toEqual(waveform);
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
