import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectContent } from './content-inspector.ts';
import { DETECTION_BYTES, detectFileType, typeOfReceived, typeOfSent } from './file-type.ts';
import type { DetectedType, FileDescription } from './file-type.ts';

const ascii = (text: string): readonly number[] => Array.from(text, (character) => character.charCodeAt(0));
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? ascii(part) : part)));
const ftyp = (brand: string): Uint8Array =>
  bytes([0, 0, 0, 24], 'ftyp', brand, [0, 0, 2, 0], 'isomiso2', [0, 0, 0, 8], 'mdat');
const ogg = (head: string): Uint8Array =>
  bytes('OggS', [0, 2], Array<number>(20).fill(0), [1, 19], head, [1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]);
const MP3_FRAME = [0xff, 0xfb, 0x90, 0x64, ...Array<number>(413).fill(0)];
const DOCX =
  'UEsDBBQAAAAIAKEKdV3GEnoHrAAAAPEAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbF2Puw7CMAxFf6XKihoXBgaUlIEdGPgBK3Hb' +
  'iOahJBT4exKQOjBax/dcWxxfdm4Wisl4J9mWd+zYi9s7UGoKcUmyKedwAEhqIouJ+0CukMFHi7mMcYSA6o4jwa7r9qC8y+Rym6uD' +
  '9eJS5NFoaq4Y8xktSQZPHzVorx62bPJiY83pF6vNkmEIs1GYy02wOP3X2fphMIrWfLWF6BWlZNxoZ74Si8Ztqh56Ad+n+g9QSwME' +
  'FAAAAAgAoQp1Xd1ahg0PAAAADQAAABEAAAB3b3JkL2RvY3VtZW50LnhtbLMpt0rJTy7NTc0r0bcDAFBLAQIUAxQAAAAIAKEKdV3G' +
  'EnoHrAAAAPEAAAATAAAAAAAAAAAAAACAAQAAAABbQ29udGVudF9UeXBlc10ueG1sUEsBAhQDFAAAAAgAoQp1Xd1ahg0PAAAADQAA' +
  'ABEAAAAAAAAAAAAAAIAB3QAAAHdvcmQvZG9jdW1lbnQueG1sUEsFBgAAAAACAAIAgAAAABsBAAAAAA==';

const SAMPLES: Readonly<Record<string, readonly [Uint8Array, string, string]>> = {
  jpeg: [bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]), 'image/jpeg', 'jpg'],
  png: [
    bytes(
      [0x89],
      'PNG',
      [13, 10, 26, 10, 0, 0, 0, 13],
      'IHDR',
      [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde],
      [0, 0, 0, 0],
      'IDAT',
    ),
    'image/png',
    'png',
  ],
  webp: [
    bytes('RIFF', [36, 0, 0, 0], 'WEBPVP8 ', [24, 0, 0, 0], Array<number>(24).fill(0)),
    'image/webp',
    'webp',
  ],
  aac: [bytes([0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc, 0x21]), 'audio/aac', 'aac'],
  m4a: [ftyp('M4A '), 'audio/mp4', 'm4a'],
  'mp3 without a tag': [bytes(MP3_FRAME), 'audio/mpeg', 'mp3'],
  'mp3 with a tag': [
    bytes('ID3', [4, 0, 0, 0, 0, 0, 10], Array<number>(10).fill(0), MP3_FRAME),
    'audio/mpeg',
    'mp3',
  ],
  // The cover picture takes a megabyte, so the music begins long after `DETECTION_BYTES`.
  'mp3 with a cover': [
    bytes('ID3', [4, 0, 0, 0, 64, 0, 0], 'APIC', Array<number>(DETECTION_BYTES).fill(1)).subarray(
      0,
      DETECTION_BYTES,
    ),
    'audio/mpeg',
    'mp3',
  ],
  amr: [bytes('#!AMR\n', [0x3c, 0x91, 0x17, 0x16]), 'audio/amr', 'amr'],
  'ogg with opus': [ogg('OpusHead'), 'audio/ogg', 'opus'],
  mp4: [ftyp('mp42'), 'video/mp4', 'mp4'],
  '3gp': [ftyp('3gp4'), 'video/3gpp', '3gp'],
  pdf: [bytes('%PDF-1.7\n%', [0xe2, 0xe3, 0xcf, 0xd3], '\n1 0 obj\n'), 'application/pdf', 'pdf'],
  docx: [
    new Uint8Array(Buffer.from(DOCX, 'base64')),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'docx',
  ],
  'plain text': [bytes('Hello,\nhow are you?\n'), 'application/octet-stream', 'bin'],
  nothing: [bytes(), 'application/octet-stream', 'bin'],
};

describe('detectFileType', () => {
  it.each(Object.entries(SAMPLES))('knows %s', async (_, [first, mimeType, extension]) => {
    expect(await detectFileType(first)).toMatchObject({ mimeType, extension });
  });

  it('follows the first bytes only, even if a file could also be of another type', async () => {
    const polyglot = bytes('%PDF-1.7\n', '<html><script>alert(1)</script>', [0x89], 'PNG', 'PK', [3, 4]);
    expect(await detectFileType(polyglot)).toMatchObject({ mimeType: 'application/pdf' });
  });

  it('never throws and never hangs, whatever follows a known beginning', async () => {
    const beginnings = Object.values(SAMPLES).map(([first]) => first);
    // An ASF header whose objects have no size made detectors loop forever.
    const asf = bytes(
      [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9],
      Array<number>(60).fill(0),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...beginnings, asf),
        fc.nat(600),
        fc.uint8Array({ maxLength: 600 }),
        async (beginning, kept, junk) => {
          const { mimeType } = await detectFileType(
            Uint8Array.from([...beginning.subarray(0, kept), ...junk]),
          );
          expect(mimeType).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

type Box = readonly number[];
const box = (type: string, ...content: readonly Box[]): Box => {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return [size >> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255, ...ascii(type), ...content.flat()];
};
const track = (handler: string): Box =>
  box('trak', box('tkhd', [0, 0]), box('mdia', box('hdlr', Array<number>(8).fill(0), ascii(handler), [0])));
/** `moovFirst`: the list of tracks comes before the recording. */
const movie = (brand: string, handlers: readonly string[], moovFirst = false): Uint8Array => {
  const recording = box('mdat', Array<number>(5_000).fill(7));
  const list = box('moov', box('mvhd', [0]), ...handlers.map(track));
  const ordered = moovFirst ? [list, recording] : [recording, list];
  return bytes(box('ftyp', ascii(brand), [0, 0, 2, 0]), ...ordered);
};

async function inspected(file: Uint8Array, length = 1_000): Promise<DetectedType> {
  const first = file.subarray(0, DETECTION_BYTES);
  const inspector = inspectContent(await detectFileType(first), first);
  for (let at = 0; at < file.length; at += length) await inspector.write(file.subarray(at, at + length));
  return inspector.end();
}

describe('inspectContent', () => {
  const AUDIO = { mimeType: 'audio/mp4', extension: 'm4a', isCertain: true };
  const VIDEO = { mimeType: 'video/mp4', extension: 'mp4', isCertain: true };

  it.each(['mp42', 'isom', 'iso5'])('knows audio in an MP4 with the brand %s', async (brand) => {
    expect(await inspected(movie(brand, ['soun']))).toEqual(AUDIO);
    expect(await inspected(movie(brand, ['soun'], true))).toEqual(AUDIO);
    expect(await inspected(movie(brand, ['soun', 'vide']))).toEqual(VIDEO);
    expect(await inspected(movie(brand, ['vide']))).toEqual(VIDEO);
  });

  it('knows audio in a 3GP file', async () => {
    expect(await inspected(movie('3gp4', ['soun']))).toMatchObject({ mimeType: 'audio/3gpp' });
    expect(await inspected(movie('3gp4', ['vide', 'soun']))).toMatchObject({ mimeType: 'video/3gpp' });
  });

  it('reads the tracks the same however the file is cut', async () => {
    for (const length of [1, 2, 7, 64]) {
      expect(await inspected(movie('isom', ['soun']), length), `chunks of ${length}`).toEqual(AUDIO);
    }
  });

  it('takes a box of 64 bits, and one up to the end of the file', async () => {
    const long = [0, 0, 0, 1, ...ascii('free'), 0, 0, 0, 0, 0, 0, 0, 20, 1, 2, 3, 4];
    const list = box('moov', track('soun'));
    const open = [0, 0, 0, 0, ...ascii('mdat'), ...track('vide')];
    const file = bytes(box('ftyp', ascii('isom'), [0, 0, 2, 0]), long, list, open);
    expect(await inspected(file)).toEqual(AUDIO);
  });

  it.each([
    ['no list of tracks', bytes(box('ftyp', ascii('isom'), [0, 0, 2, 0]), box('mdat', [1, 2]))],
    ['a box of an impossible size', bytes([...movie('isom', ['soun'])], [0, 0, 0, 3, 1, 1, 1, 1])],
  ])('is not certain of an MP4 with %s', async (_, file) => {
    expect(await inspected(file)).toEqual({ ...VIDEO, isCertain: false });
  });

  it('finds the identity of an Office document where the first bytes end within it', async () => {
    const sheet = zip([
      ['xl/worksheets/sheet1.xml', ' '.repeat(DETECTION_BYTES - 120)],
      ['[Content_Types].xml', contentTypes(XLSX)],
    ]);
    expect(await detectFileType(sheet.subarray(0, DETECTION_BYTES))).toMatchObject({ extension: 'zip' });
    expect(await inspected(sheet)).toEqual({ mimeType: XLSX, extension: 'xlsx', isCertain: true });
  });

  it('finds it in the last entry, where the first bytes show something similar', async () => {
    const withMacros = zip([
      ['xl/worksheets/sheet1.xml', ' '.repeat(9_000)],
      ['[Content_Types].xml', contentTypes('application/vnd.ms-excel.sheet.macroEnabled')],
    ]);
    expect(await detectFileType(withMacros.subarray(0, DETECTION_BYTES))).toMatchObject({
      extension: 'xlsx',
    });
    expect(await inspected(withMacros)).toMatchObject({ extension: 'xlsm', isCertain: true });
  });

  it('takes any other ZIP as a container', async () => {
    const archive = zip([['a.txt', 'a'.repeat(9_000)]]);
    const container = { mimeType: 'application/zip', extension: 'zip', isCertain: false };
    expect(await inspected(archive)).toEqual(container);
    expect(await inspected(archive.subarray(0, 6_000))).toEqual(container);
  });

  it('never throws and never hangs, whatever follows the beginning of a ZIP or an MP4', async () => {
    const beginnings = [zip([['xl/a', 'b']]), movie('isom', ['soun'], true)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...beginnings),
        fc.integer({ min: 30, max: 200 }),
        fc.uint8Array({ maxLength: 200 }),
        async (beginning, kept, junk) => {
          const { mimeType } = await inspected(
            Uint8Array.from([...beginning.subarray(0, kept), ...junk]),
            50,
          );
          expect(mimeType).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const contentTypes = (type: string): string =>
  `<Types><Override PartName="/xl/workbook.xml" ContentType="${type}.main+xml"/></Types>`;

/** A ZIP with uncompressed entries, and without checksums, which detection does not read. */
function zip(entries: readonly (readonly [name: string, text: string])[]): Uint8Array {
  const parts = entries.map(([name, text]) => {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt32LE(text.length, 18);
    header.writeUInt32LE(text.length, 22);
    header.writeUInt16LE(name.length, 26);
    return Buffer.concat([header, Buffer.from(name + text)]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  return Uint8Array.from(Buffer.concat([...parts, end]));
}

const detected = (mimeType: string, extension: string, isCertain = true): DetectedType => ({
  mimeType,
  extension,
  isCertain,
});
const UNKNOWN = detected('application/octet-stream', 'bin', false);
const described = (mimeType: string | null, filename: string | null = null): FileDescription => ({
  mimeType,
  filename,
});

describe('typeOfSent', () => {
  it.each([
    [
      'bytes that identify the format',
      detected('application/pdf', 'pdf'),
      described('text/html', 'a.html'),
      'application/pdf',
      'pdf',
    ],
    [
      'the declared type before the name',
      UNKNOWN,
      described('text/csv; charset=utf-8', 'a.txt'),
      'text/csv',
      'csv',
    ],
    [
      'the declared type before a container',
      detected('application/zip', 'zip', false),
      described(XLSX),
      XLSX,
      'xlsx',
    ],
    [
      'the extension of the name',
      UNKNOWN,
      described('application/octet-stream', 'list.CSV'),
      'text/csv',
      'csv',
    ],
    [
      'the extension before a container',
      detected('application/x-cfb', 'cfb', false),
      described(null, 'a.doc'),
      'application/msword',
      'doc',
    ],
    [
      'a container of which nothing else is known',
      detected('application/zip', 'zip', false),
      described(null, 'a'),
      'application/zip',
      'zip',
    ],
    ['nothing', UNKNOWN, described('nonsense', 'zip'), 'application/octet-stream', 'bin'],
  ] as const)('goes by %s', async (_, found, given, mimeType, extension) => {
    expect(await typeOfSent(found, given)).toMatchObject({ mimeType, extension });
  });
});

describe('typeOfReceived', () => {
  const zipped = detected('application/zip', 'zip', false);
  const png = detected('image/png', 'png');
  const mp4 = detected('video/mp4', 'mp4', false);
  it.each([
    ['of an Office document that looks like a ZIP', zipped, XLSX, XLSX],
    [
      'of a document that the bytes would call otherwise',
      detected('application/pdf', 'pdf'),
      'text/plain',
      'text/plain',
    ],
    ['of a picture in another format', png, 'image/jpeg', 'image/jpeg'],
    ['of a recording in a container', mp4, 'audio/mp4', 'audio/mp4'],
  ])('keeps the type %s', async (_, found, announced, mimeType) => {
    expect(await typeOfReceived(found, described(announced))).toMatchObject({ mimeType });
  });

  it.each([
    ['another family', png, 'audio/ogg', 'image/png'],
    ['a family where the network names none', png, 'application/pdf', 'image/png'],
    [
      'no family where the network names one',
      detected('application/pdf', 'pdf'),
      'image/jpeg',
      'application/pdf',
    ],
    ['a container of sound or pictures that is announced as an image', mp4, 'image/jpeg', 'video/mp4'],
    ['a format where the network knows none', png, 'application/octet-stream', 'image/png'],
  ])('goes by bytes that show %s', async (_, found, announced, mimeType) => {
    expect(await typeOfReceived(found, described(announced, 'a.txt'))).toMatchObject({ mimeType });
  });

  it('follows the name if neither the network nor the bytes say more', async () => {
    expect(await typeOfReceived(UNKNOWN, described('', 'notes.md'))).toMatchObject({
      mimeType: 'text/markdown',
    });
  });

  it.each(['', 'nonsense', 'text/html\r\nX-Evil: 1', 'image/<script>', '文/档'])(
    'does not pass on %j',
    async (mimeType) => {
      expect(await typeOfReceived(UNKNOWN, described(mimeType))).toMatchObject({
        mimeType: UNKNOWN.mimeType,
      });
    },
  );
});
