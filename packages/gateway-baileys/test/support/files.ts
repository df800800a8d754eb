import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { withFacts } from '../../src/file-facts/file-facts.ts';
import type { FileFacts, Scanner } from '../../src/file-facts/scanner.ts';

/** The facts that a scanner finds, which must neither fail nor change the file. */
export async function factsIn(
  bytes: Uint8Array,
  scanner: Scanner | null,
  chunkSize: number = 64 * 1024,
): Promise<FileFacts> {
  if (scanner === null) throw new Error('Files of this type are not scanned.');
  const failures: unknown[] = [];
  let at = 0;
  const chunks = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += chunkSize)));
      else controller.close();
    },
  });
  const { content, facts } = withFacts(chunks, scanner, (error) => failures.push(error));
  const passed = Buffer.from(await new Response(content).arrayBuffer());
  expect(failures).toEqual([]);
  expect(passed.equals(bytes)).toBe(true);
  return facts();
}

/** The left 16 of 40 pixels are red, the others blue; 24 lines. Made by libjpeg and libwebp. */
export const PICTURES = {
  subsampled:
    '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAYACgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAUG/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABYBAQEBAAAAAAAAAAAAAAAAAAcABf/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AM+AxiShAGIVACS6AHSqhAGIVACT/9k=',
  progressive:
    '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wgARCAAYACgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFgEBAQEAAAAAAAAAAAAAAAAABgAE/9oADAMBAAIQAxAAAAHPGJJAGJUKvA5VAGJUK//EABQQAQAAAAAAAAAAAAAAAAAAADD/2gAIAQEAAQUCf//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQMBAT8BX//EABQRAQAAAAAAAAAAAAAAAAAAACD/2gAIAQIBAT8BX//EABQQAQAAAAAAAAAAAAAAAAAAADD/2gAIAQEABj8Cf//EABQQAQAAAAAAAAAAAAAAAAAAADD/2gAIAQEAAT8hf//aAAwDAQACAAMAAAAQD++D++//xAAUEQEAAAAAAAAAAAAAAAAAAAAg/9oACAEDAQE/EF//xAAUEQEAAAAAAAAAAAAAAAAAAAAg/9oACAECAQE/EF//xAAUEAEAAAAAAAAAAAAAAAAAAAAw/9oACAEBAAE/EH//2Q==',
  gray: '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAYACgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAUB/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABQBAQAAAAAAAAAAAAAAAAAAAAD/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwDAAQAAAAXwAQAAAAf/2Q==',
  cmyk: '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjMj/y9ru9f///5vB////+v/m/f/4/8AAFAgAGAAoBEMRAE0RAFkRAEsRAP/EABcAAQEBAQAAAAAAAAAAAAAAAAAGBAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oADgRDAE0AWQBLAAA/AOy4riuyAJBsWYAACvY0YACQbFmAAAr2NGAAkGxZgAAP/9k=',
  webpLossy:
    'UklGRkwAAABXRUJQVlA4IEAAAAAwAwCdASooABgAP83Y42a/ta8nsAgD8DmJQBjmBUefRiwAAP7UmSGjT8P+KHmt7B3Jwe3Nb2DuRjC4OA7p+zgA',
  webpLossless: 'UklGRiYAAABXRUJQVlA4TBkAAAAvJ8AFAA8Q87//8x8OxILJ/KUj6I/ofxSWAA==',
  webpExtended:
    'UklGRlgAAABXRUJQVlA4WAoAAAAQAAAAJwAAFwAAQUxQSAoAAAABB1CyiAhERP8DVlA4ICgAAADwAgCdASooABgAP83m7XA/uDIrJWgD8DmJaQAAKUNt8AD+rWCYAAAA',
} as const;

export function picture(name: keyof typeof PICTURES): Buffer {
  return Buffer.from(PICTURES[name], 'base64');
}

interface PngParts {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colors: number;
  readonly isInterlaced?: boolean;
  readonly palette?: Uint8Array;
  /** Each begins with the byte of its filter. */
  readonly rows: Uint8Array;
}

export function png({ width, height, depth = 8, colors, isInterlaced, palette, rows }: PngParts): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colors, 0, 0, isInterlaced ? 1 : 0], 8);
  const data = deflateSync(rows);
  const half = Math.ceil(data.length / 2);
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', data.subarray(0, half)),
    chunk('IDAT', data.subarray(half)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A box of an MP4 file. */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4);
  return Buffer.concat([head, ...content]);
}

/** A video of 12.4 seconds in 1280 × 720, with its list of tracks at the end, as phones write it. */
export function mp4({
  isTurned = false,
  cover,
}: { readonly isTurned?: boolean; readonly cover?: Uint8Array } = {}): Buffer {
  const movie = Buffer.alloc(100);
  movie.writeUInt32BE(600, 12);
  movie.writeUInt32BE(7_440, 16);
  const track = Buffer.alloc(84);
  const matrix = isTurned ? [0, 0x1_0000, 0, -0x1_0000, 0] : [0x1_0000, 0, 0, 0, 0x1_0000];
  for (const [index, value] of matrix.entries()) track.writeInt32BE(value, 40 + index * 4);
  track.writeUInt32BE(1280 * 0x1_0000, 76);
  track.writeUInt32BE(720 * 0x1_0000, 80);
  const kind = Buffer.alloc(8);
  kind.writeUInt32BE(13);
  const covers = cover
    ? [box('udta', box('meta', Buffer.alloc(4), box('ilst', box('covr', box('data', kind, cover)))))]
    : [];
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0')),
    box('mdat', Buffer.alloc(100_000, 7)),
    box(
      'moov',
      box('mvhd', movie),
      box('trak', box('tkhd', Buffer.alloc(84))),
      box('trak', box('tkhd', track)),
      ...covers,
    ),
  ]);
}
