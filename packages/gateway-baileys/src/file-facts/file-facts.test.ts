import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { box, factsIn, mp4, picture, PICTURES, png } from '../../test/support/files.ts';
import { encodeJpeg } from './encode-jpeg.ts';
import { scannerOf, withFacts } from './file-facts.ts';
import { scanJpeg } from './scan-jpeg.ts';
import type { FileFacts } from './scanner.ts';
import { fromRgb, thumbnailOf } from './thumbnail.ts';
import type { Size } from './thumbnail.ts';

const factsOf = (mimeType: string, bytes: Uint8Array, chunkSize?: number): Promise<FileFacts> =>
  factsIn(bytes, scannerOf(mimeType), chunkSize);

type Shade = (x: number, y: number) => number;

/** A JPEG of black and white, which survive the encoding unchanged. */
const jpegOf = (size: Size, shade: Shade): Uint8Array =>
  encodeJpeg(thumbnailOf(size, (x, y) => [shade(x, y), 128, 128]));

/** The segment in which a camera says how it was held. */
function withOrientation(jpeg: Uint8Array, orientation: number): Buffer {
  const exif = Buffer.from('ffe10022457869660000' + '4d4d002a00000008' + '0001' + '0112000300000001', 'hex');
  const value = Buffer.of(0, orientation, 0, 0, 0, 0, 0, 0);
  return Buffer.concat([jpeg.subarray(0, 2), exif, value, jpeg.subarray(2)]);
}

describe('a JPEG', () => {
  it.each(['subsampled', 'progressive', 'gray'] as const)('has a size and a thumbnail: %s', async (name) => {
    const { jpegThumbnail, ...size } = await factsOf('image/jpeg', picture(name));
    expect(size).toEqual({ width: 40, height: 24 });
    expect(await factsOf('image/jpeg', jpegThumbnail ?? new Uint8Array())).toMatchObject({
      width: 5,
      height: 3,
    });
  });

  it('has the same thumbnail whether it is progressive or not', async () => {
    const [one, two, gray] = await Promise.all(
      (['subsampled', 'progressive', 'gray'] as const).map((name) => factsOf('image/jpeg', picture(name))),
    );
    expect(one).toEqual(two);
    expect(one?.jpegThumbnail).not.toEqual(gray?.jpegThumbnail);
  });

  it('keeps its colours', async () => {
    const colored = (width: number): Uint8Array =>
      encodeJpeg(
        thumbnailOf({ width, height: width / 2 }, (x) => (x < width / 2 ? [128, 0, 255] : [128, 255, 0])),
      );
    expect((await factsOf('image/jpeg', colored(128))).jpegThumbnail).toEqual(colored(16));
  });

  it('of four inks has a size', async () => {
    expect(await factsOf('image/jpeg', picture('cmyk'))).toEqual({ width: 40, height: 24 });
  });

  it('is shrunk to 72 pixels', async () => {
    const { jpegThumbnail } = await factsOf(
      'image/jpeg',
      jpegOf({ width: 1152, height: 16 }, (x) => (x < 576 ? 255 : 0)),
    );
    expect(jpegThumbnail).toEqual(jpegOf({ width: 72, height: 1 }, (x) => (x < 36 ? 255 : 0)));
  });

  it.each([
    [1, (x: number, y: number) => [x, y]],
    [2, (x: number, y: number) => [1 - x, y]],
    [3, (x: number, y: number) => [1 - x, 1 - y]],
    [4, (x: number, y: number) => [x, 1 - y]],
    [5, (x: number, y: number) => [y, x]],
    [6, (x: number, y: number) => [y, 1 - x]],
    [7, (x: number, y: number) => [1 - y, 1 - x]],
    [8, (x: number, y: number) => [1 - y, x]],
  ] as const)('is turned as the camera says: %i', async (orientation, from) => {
    const upright = { width: 128, height: 64 };
    const shade: Shade = (x, y) => (x < 0.5 && y < 0.5 ? 255 : 0);
    const jpeg = jpegOf(upright, (x, y) => shade(x / 128, y / 64));
    const facts = await factsOf('image/jpeg', withOrientation(jpeg, orientation));
    const size = orientation < 5 ? upright : { width: 64, height: 128 };
    const small = { width: size.width / 8, height: size.height / 8 };
    const shown = jpegOf(small, (x, y) => {
      const [fromX = 0, fromY = 0] = from((x + 0.5) / small.width, (y + 0.5) / small.height);
      return shade(fromX, fromY);
    });
    expect(facts).toEqual({ ...size, jpegThumbnail: shown });
  });

  it('has restart markers', async () => {
    // Two blocks, after each of which the decoder starts again.
    const jpeg = Buffer.from(jpegOf({ width: 16, height: 8 }, () => 255));
    const scan = jpeg.indexOf(Buffer.of(0xff, 0xda));
    const one = Buffer.from(jpegOf({ width: 8, height: 8 }, () => 255));
    const block = one.subarray(one.indexOf(Buffer.of(0xff, 0xda)) + 14, -2);
    const interval = Buffer.of(0xff, 0xdd, 0, 4, 0, 1);
    const restarted = Buffer.concat([
      jpeg.subarray(0, scan),
      interval,
      jpeg.subarray(scan, scan + 14),
      block,
      Buffer.of(0xff, 0xd0),
      block,
      Buffer.of(0xff, 0xd9),
    ]);
    expect(await factsOf('image/jpeg', restarted)).toEqual(await factsOf('image/jpeg', jpeg));
  });
});

describe('a PNG', () => {
  const size = { width: 16, height: 2 };
  /** The left half is black, the right half white. */
  const expected = { ...size, jpegThumbnail: jpegOf(size, (x) => (x < 8 ? 0 : 255)) };
  const row = (pixel: (isWhite: boolean) => readonly number[], filter = 0): readonly number[] => [
    filter,
    ...Array.from({ length: 16 }, (_, x) => pixel(x >= 8)).flat(),
  ];
  const twice = (one: readonly number[]): Uint8Array => Uint8Array.from([...one, ...one]);
  const all = (isWhite: boolean, count: number): readonly number[] =>
    Array.from({ length: count }, () => (isWhite ? 255 : 0));

  it.each([
    ['gray', { colors: 0, rows: twice(row((white) => all(white, 1))) }],
    ['gray of one bit', { colors: 0, depth: 1, rows: twice([0, 0, 255]) }],
    ['gray of 16 bits', { colors: 0, depth: 16, rows: twice(row((white) => all(white, 2))) }],
    ['colour', { colors: 2, rows: twice(row((white) => all(white, 3))) }],
    ['colour of 16 bits', { colors: 2, depth: 16, rows: twice(row((white) => all(white, 6))) }],
    [
      'a palette',
      {
        colors: 3,
        depth: 4,
        palette: Uint8Array.of(255, 255, 255, 0, 0, 0),
        rows: twice([0, 0x11, 0x11, 0x11, 0x11, 0, 0, 0, 0]),
      },
    ],
    ['gray that is partly transparent', { colors: 4, rows: twice(row((white) => [0, white ? 0 : 255])) }],
    [
      'colour that is partly transparent',
      { colors: 6, rows: twice(row((white) => [0, 0, 0, white ? 0 : 255])) },
    ],
    [
      'differences to the left',
      { colors: 0, rows: twice([1, ...Array.from({ length: 16 }, (_, x) => (x === 8 ? 255 : 0))]) },
    ],
    [
      'differences to the row above',
      { colors: 0, rows: Uint8Array.from([...row((white) => all(white, 1)), 2, ...all(false, 16)]) },
    ],
    [
      'differences to the mean',
      {
        colors: 0,
        rows: Uint8Array.from([
          ...row((white) => all(white, 1)),
          3,
          ...Array.from({ length: 16 }, (_, x) => (x < 8 ? 0 : x === 8 ? 128 : 0)),
        ]),
      },
    ],
    [
      'differences to the nearest',
      { colors: 0, rows: Uint8Array.from([...row((white) => all(white, 1)), 4, ...all(false, 16)]) },
    ],
  ])('of %s has a size and a thumbnail', async (_, parts) => {
    expect(await factsOf('image/png', png({ ...size, ...parts }), 5)).toEqual(expected);
  });

  it('keeps its colours', async () => {
    const rows = twice([0, ...Array.from({ length: 16 }, () => [255, 128, 0]).flat()]);
    const { jpegThumbnail } = await factsOf('image/png', png({ ...size, colors: 2, rows }));
    expect(jpegThumbnail).toEqual(encodeJpeg(thumbnailOf(size, () => fromRgb([255, 128, 0]))));
  });

  it.each([
    ['interlaced', { isInterlaced: true }],
    ['cut off', { rows: new Uint8Array(17) }],
    ['of a kind that does not exist', { colors: 5 }],
  ])('has a size, but no thumbnail if it is %s', async (_, changes) => {
    const whole = { ...size, colors: 0, rows: new Uint8Array(34) };
    expect(await factsOf('image/png', png({ ...whole, ...changes }))).toEqual(size);
  });
});

it.each(['webpLossy', 'webpLossless', 'webpExtended'] as const)('a WebP has a size: %s', async (name) => {
  expect(await factsOf('image/webp', picture(name))).toEqual({ width: 40, height: 24 });
});

describe('a video', () => {
  it('has a duration and a size, wherever they are', async () => {
    expect(await factsOf('video/mp4', mp4())).toEqual({ seconds: 12, width: 1280, height: 720 });
    expect(await factsOf('video/3gpp', mp4(), 1_001)).toEqual({ seconds: 12, width: 1280, height: 720 });
  });

  it('is turned as the phone was held', async () => {
    expect(await factsOf('video/mp4', mp4({ isTurned: true }))).toMatchObject({ width: 720, height: 1280 });
  });

  it('has the thumbnail of its cover', async () => {
    const cover = picture('progressive');
    const { jpegThumbnail } = await factsOf('image/jpeg', cover);
    expect(await factsOf('video/mp4', mp4({ cover }))).toMatchObject({ width: 1280, jpegThumbnail });
  });
});

describe('a damaged or hostile file', () => {
  const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'audio/ogg'];
  const FILES: readonly (readonly [string, Uint8Array])[] = [
    ...(Object.keys(PICTURES) as (keyof typeof PICTURES)[]).map(
      (name) => [name.startsWith('webp') ? 'image/webp' : 'image/jpeg', picture(name)] as const,
    ),
    ['image/png', png({ width: 9, height: 9, colors: 2, rows: new Uint8Array(9 * 28).fill(1) })],
    ['video/mp4', mp4({ cover: picture('subsampled') }).subarray(100_000)],
  ];

  it('is read without an error, whatever its bytes are', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TYPES),
        bytes,
        fc.integer({ min: 1, max: 99 }),
        async (type, given, size) => {
          expect(sane(await factsOf(type, given, size))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is read without an error, whichever bytes of it were changed or cut off', async () => {
    const changes = fc.array(fc.tuple(fc.nat(1_000), fc.nat(255)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FILES),
        changes,
        fc.nat(1_000),
        async ([type, whole], list, length) => {
          const bytes = whole.slice(0, length > 500 ? whole.length : length);
          for (const [at, byte] of list) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          expect(sane(await factsOf(type, bytes))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  const MEGABYTE = 1024 * 1024;
  const huge = (bytes: Uint8Array, fill: number): Buffer =>
    Buffer.concat([bytes, Buffer.alloc(MEGABYTE, fill)]);
  const boundless = (name: 'subsampled' | 'progressive'): Buffer => {
    const jpeg = picture(name);
    const frame = jpeg.indexOf(Buffer.of(0xff, name === 'progressive' ? 0xc2 : 0xc0));
    jpeg.fill(0xff, frame + 5, frame + 9);
    return jpeg.subarray(0, jpeg.indexOf(Buffer.of(0xff, 0xda)) + 14);
  };

  it.each([
    ['a JPEG of 4 gigapixels', 'image/jpeg', huge(boundless('subsampled'), 0)],
    ['a progressive JPEG of 4 gigapixels', 'image/jpeg', huge(boundless('progressive'), 0)],
    [
      'a JPEG of nothing but tables',
      'image/jpeg',
      Buffer.from('ffd8' + 'ffc40014000100000000000000000000000000000001'.repeat(50_000), 'hex'),
    ],
    [
      'a JPEG of nothing but the first bytes of markers',
      'image/jpeg',
      huge(picture('gray').subarray(0, 2), 0xff),
    ],
    [
      'a PNG that grows a thousandfold',
      'image/png',
      png({ width: 30_000, height: 1_000, colors: 0, rows: new Uint8Array(60 * MEGABYTE) }),
    ],
    [
      'a PNG of more pixels than memory',
      'image/png',
      png({ width: 2 ** 31, height: 2 ** 31, colors: 6, rows: new Uint8Array(MEGABYTE) }),
    ],
    [
      'an MP4 of nothing but empty boxes',
      'video/mp4',
      Buffer.concat(Array.from({ length: MEGABYTE / 8 }, () => box('free'))),
    ],
    [
      'an Ogg of nothing but empty pages',
      'audio/ogg',
      Buffer.concat(Array.from({ length: MEGABYTE / 27 }, () => Buffer.from('OggS'.padEnd(27, '\0')))),
    ],
  ])('takes little time: %s', async (_, type, bytes) => {
    const begun = process.threadCpuUsage();
    expect(sane(await factsOf(type, bytes))).toBe(true);
    const { user, system } = process.threadCpuUsage(begun);
    expect((user + system) / 1_000_000).toBeLessThan(3);
  });

  it('is sent without facts if reading it fails', async () => {
    const failures: unknown[] = [];
    const broken = {
      write(): never {
        throw new Error('a mistake of ours');
      },
      end: () => ({ width: 1 }),
    };
    const bytes = new Uint8Array(200_000).fill(1);
    const { content, facts } = withFacts(new Blob([bytes]).stream(), broken, (error) => failures.push(error));
    expect(new Uint8Array(await new Response(content).arrayBuffer())).toEqual(bytes);
    expect(failures).toEqual([new Error('a mistake of ours')]);
    expect(facts()).toEqual({});
  });
});

function sane({ seconds = 1, width = 1, height = 1, jpegThumbnail, waveform }: FileFacts): boolean {
  const numbers = [seconds, width, height];
  const isSmall = jpegThumbnail === undefined || (jpegThumbnail.length < 20_000 && isJpeg(jpegThumbnail));
  return (
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 2 ** 32) &&
    isSmall &&
    (waveform === undefined || waveform.length === 64)
  );
}

function isJpeg(bytes: Uint8Array): boolean {
  const scanner = scanJpeg(72);
  void scanner.write(bytes);
  return Object.hasOwn(scanner.end(), 'width');
}
