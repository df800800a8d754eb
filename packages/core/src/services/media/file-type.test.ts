import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DETECTION_BYTES, detectFileType, detectedOr } from './file-type.ts';

const ascii = (text: string): readonly number[] => Array.from(text, (character) => character.charCodeAt(0));
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? ascii(part) : part)));
/** The beginning of an ISO base media file of a brand. */
const ftyp = (brand: string): Uint8Array =>
  bytes([0, 0, 0, 24], 'ftyp', brand, [0, 0, 2, 0], 'isomiso2', [0, 0, 0, 8], 'mdat');
/** The first page of an Ogg stream. */
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
  // A cover picture of a megabyte: the music begins long after what is looked at.
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
    expect(await detectFileType(first)).toEqual({ mimeType, extension });
  });

  it('goes by the first bytes alone: what else a file could be does not matter', async () => {
    const polyglot = bytes('%PDF-1.7\n', '<html><script>alert(1)</script>', [0x89], 'PNG', 'PK', [3, 4]);
    expect(await detectFileType(polyglot)).toMatchObject({ mimeType: 'application/pdf' });
  });

  it('never throws and never hangs, whatever follows a known beginning', async () => {
    const beginnings = Object.values(SAMPLES).map(([first]) => first);
    // An ASF header whose objects have no size made detectors loop for ever.
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

describe('detectedOr', () => {
  const png = { mimeType: 'image/png', extension: 'png' };
  const unknown = { mimeType: 'application/octet-stream', extension: 'bin' };

  it('believes the bytes before the network', () => {
    expect(detectedOr(png, 'text/html')).toEqual(png);
    expect(detectedOr(unknown, 'text/plain; charset=utf-8')).toEqual({ ...unknown, mimeType: 'text/plain' });
    expect(detectedOr(null, 'audio/x-m4a')).toEqual({ ...unknown, mimeType: 'audio/mp4' });
  });

  it.each(['', 'nonsense', 'text/html\r\nX-Evil: 1', 'image/<script>', '文/档'])(
    'does not pass on %j',
    (mimeType) => {
      expect(detectedOr(null, mimeType)).toEqual(unknown);
    },
  );
});
