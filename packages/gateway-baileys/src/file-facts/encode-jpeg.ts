import type { Thumbnail } from './thumbnail.ts';

/** The numbers of codes of each length, and their values (ITU-T T.81, annex K.3), used for all three components. */
const DC_COUNTS = '00010501010101010100000000000000';
const DC_VALUES = '000102030405060708090a0b';
const AC_COUNTS = '0002010303020403050504040000017d';
const AC_VALUES =
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a' +
  '3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a929394' +
  '95969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8' +
  'e9eaf1f2f3f4f5f6f7f8f9fa';
/** The steps by which coefficients are rounded, in the order of ZIGZAG (annex K.1): the usual ones of quality 50. */
const STEPS: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];
/** The order of a block's coefficients (section A.3.6). */
const ZIGZAG: readonly number[] = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46,
  53, 60, 61, 54, 47, 55, 62, 63,
];
/** BASIS[u][x]: the share of frequency `u` at sample `x` of eight. */
const BASIS: readonly (readonly number[])[] = Array.from({ length: 8 }, (_, u) =>
  Array.from(
    { length: 8 },
    (__, x) => (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16),
  ),
);

/** Encodes a thumbnail as a baseline JPEG of about 1 to 2 KB for 72 pixels. */
export function encodeJpeg({ width, height, planes }: Thumbnail): Uint8Array {
  const bits = bitWriter();
  const predictions = [0, 0, 0];
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      for (const [index, plane] of planes.entries()) {
        const block = blockAt(plane, { width, height, left, top });
        predictions[index] = writeBlock(bits, block, predictions[index] ?? 0);
      }
    }
  }
  return Buffer.concat([headers(width, height), bits.end(), Buffer.of(0xff, 0xd9)]);
}

function headers(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  const components = [1, 2, 3].flatMap((id) => [id, 0x11, 0]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xdb, Buffer.of(0, ...STEPS)),
    segment(0xc0, Buffer.of(8, ...size, 3, ...components)),
    segment(0xc4, Buffer.from(`00${DC_COUNTS}${DC_VALUES}10${AC_COUNTS}${AC_VALUES}`, 'hex')),
    segment(0xda, Buffer.of(3, 1, 0, 2, 0, 3, 0, 0, 63, 0)),
  ]);
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** The rounded coefficients of a block in zigzag order. Pixels beyond the edge repeat the last ones. */
function blockAt(
  plane: Uint8Array,
  {
    width,
    height,
    left,
    top,
  }: { readonly width: number; readonly height: number; readonly left: number; readonly top: number },
): readonly number[] {
  const samples = Array.from({ length: 64 }, (_, index) => {
    const x = Math.min(width - 1, left + (index % 8));
    const y = Math.min(height - 1, top + Math.floor(index / 8));
    return (plane[y * width + x] ?? 0) - 128;
  });
  const rows = transform(samples);
  const coefficients = transform(rows);
  return ZIGZAG.map((at, index) => Math.round((coefficients[at] ?? 0) / (STEPS[index] ?? 1)));
}

/** The cosine transform of each row, with rows and columns exchanged: twice makes that of the whole block. */
function transform(values: readonly number[]): readonly number[] {
  return Array.from({ length: 64 }, (_, index) => {
    const basis = BASIS[Math.floor(index / 8)] ?? [];
    const row = index % 8;
    return basis.reduce((sum, share, x) => sum + share * (values[row * 8 + x] ?? 0), 0);
  });
}

/** Writes a block (section F.1.2). Returns its first coefficient, from which that of the next block is predicted. */
function writeBlock(bits: BitWriter, block: readonly number[], prediction: number): number {
  const [first = 0, ...others] = block;
  writeValue(bits, DC_CODES, { zeros: 0, value: first - prediction });
  let zeros = 0;
  for (const value of others) {
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros > 15; zeros -= 16) bits.write(AC_CODES.get(0xf0));
    writeValue(bits, AC_CODES, { zeros, value });
    zeros = 0;
  }
  if (zeros > 0) bits.write(AC_CODES.get(0));
  return first;
}

function writeValue(
  bits: BitWriter,
  codes: Codes,
  { zeros, value }: { readonly zeros: number; readonly value: number },
): void {
  const length = 32 - Math.clz32(Math.abs(value));
  bits.write(codes.get(zeros * 16 + length));
  if (length > 0) bits.write([value < 0 ? value + 2 ** length - 1 : value, length]);
}

/** The code of each value, with its length in bits. */
type Codes = ReadonlyMap<number, readonly [code: number, length: number]>;

function codesOf(counts: string, values: string): Codes {
  const codes = new Map<number, readonly [number, number]>();
  const listed = Buffer.from(values, 'hex');
  let code = 0;
  let next = 0;
  for (const [index, count] of Buffer.from(counts, 'hex').entries()) {
    for (let made = 0; made < count; made++) codes.set(listed[next++] ?? 0, [code++, index + 1]);
    code *= 2;
  }
  return codes;
}

const DC_CODES = codesOf(DC_COUNTS, DC_VALUES);
const AC_CODES = codesOf(AC_COUNTS, AC_VALUES);

interface BitWriter {
  write(bits: readonly [value: number, length: number] | undefined): void;
  end(): Buffer;
}

function bitWriter(): BitWriter {
  const bytes: number[] = [];
  let byte = 0;
  let filled = 0;
  const write: BitWriter['write'] = ([value, length] = [0, 0]) => {
    for (let bit = length - 1; bit >= 0; bit--) {
      byte = byte * 2 + ((value >> bit) & 1);
      filled += 1;
      if (filled < 8) continue;
      bytes.push(byte);
      // Otherwise, the byte would begin a marker.
      if (byte === 0xff) bytes.push(0);
      byte = 0;
      filled = 0;
    }
  };
  return {
    write,
    end() {
      if (filled > 0) write([0xff, 8 - filled]);
      return Buffer.from(bytes);
    },
  };
}
