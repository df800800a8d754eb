import { shrinkPlane, sizeWithin } from './thumbnail.ts';
import type { Size } from './thumbnail.ts';

export interface PngHeader extends Size {
  /** Bits of a sample. */
  readonly depth: number;
  /** The colour type. */
  readonly colors: number;
  readonly isInterlaced: boolean;
}

/** Makes a small picture of the decompressed rows of a PNG. */
export interface PngRows {
  write(bytes: Uint8Array): void;
  isComplete(): boolean;
  /** Null unless all rows have come. */
  thumbnail(): SmallPicture | null;
}

interface SmallPicture {
  readonly size: Size;
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

/** The samples of a pixel, by colour type. */
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
const INDEXED = 3;
/** Each pixel of the thumbnail is the average of at most this many columns and rows. */
const MOST_AVERAGED = 4;

/** Larger pictures have no thumbnail: they would take a second or more, and a small file may claim to be huge. */
const MOST_BYTES = 100_000_000;
const WIDEST = 32_768;

/** Null if the picture is too large, interlaced, or of a kind that does not exist. */
export function pngRows(
  header: PngHeader,
  { palette, side }: { readonly palette: Uint8Array; readonly side: number },
): PngRows | null {
  const { width, height, depth, colors } = header;
  const samples = SAMPLES.get(colors);
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(depth) || header.isInterlaced) return null;
  const bytesOfPixel = Math.max(1, (samples * depth) / 8);
  const bytesOfRow = Math.ceil((width * samples * depth) / 8);
  if (width === 0 || height === 0 || width > WIDEST || bytesOfRow * height > MOST_BYTES) return null;
  const size = sizeWithin(header, side);
  const [red, green, blue] = [0, 1, 2].map(() => shrinkPlane(header, size));
  if (!red || !green || !blue) return null;
  const columns = chosen(width, size.width);
  const chosenRows = new Set(chosen(height, size.height));

  // The first byte of a row names its filter.
  let row = new Uint8Array(bytesOfRow + 1);
  let above = new Uint8Array(bytesOfRow + 1);
  let filled = 0;
  let y = 0;

  const sample = (index: number): number => {
    if (depth === 16) return row[1 + index * 2] ?? 0;
    if (depth === 8) return row[1 + index] ?? 0;
    const bit = index * depth;
    const value = ((row[1 + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
    return colors === INDEXED ? value : (value * 255) / ((1 << depth) - 1);
  };

  const addRow = (): void => {
    for (const x of columns) {
      const at = x * samples;
      const first = sample(at);
      let [r, g, b] = [first, first, first];
      if (colors === INDEXED) {
        [r = 0, g = 0, b = 0] = palette.subarray(first * 3);
      } else if (samples >= 3) {
        g = sample(at + 1);
        b = sample(at + 2);
      }
      // Transparent pixels are shown on white.
      const alpha = samples === 2 || samples === 4 ? sample(at + samples - 1) / 255 : 1;
      red.add(x, y, 255 + (r - 255) * alpha);
      green.add(x, y, 255 + (g - 255) * alpha);
      blue.add(x, y, 255 + (b - 255) * alpha);
    }
  };

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length && y < height;) {
        const part = bytes.subarray(at, at + row.length - filled);
        row.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < row.length) return;
        unfilter(row, above, bytesOfPixel);
        if (chosenRows.has(y)) addRow();
        [row, above] = [above, row];
        filled = 0;
        y += 1;
      }
    },
    isComplete: () => y === height,
    thumbnail: () =>
      y < height
        ? null
        : { size, at: (x, line) => [red.at(x, line, size), green.at(x, line, size), blue.at(x, line, size)] },
  };
}

/** The columns, or rows, that are averaged. */
function chosen(all: number, cells: number): readonly number[] {
  const step = Math.max(1, Math.floor(all / (cells * MOST_AVERAGED)));
  return Array.from({ length: Math.ceil(all / step) }, (_, index) => index * step);
}

/** Restores a row from its differences (section 9). */
function unfilter(row: Uint8Array, above: Uint8Array, bytesOfPixel: number): void {
  const filter = row[0];
  if (filter === 0) return;
  for (let at = 1; at < row.length; at++) {
    const left = at > bytesOfPixel ? (row[at - bytesOfPixel] ?? 0) : 0;
    const up = above[at] ?? 0;
    let predicted: number;
    if (filter === 1) predicted = left;
    else if (filter === 2) predicted = up;
    else if (filter === 3) predicted = (left + up) >> 1;
    else predicted = paeth(left, up, at > bytesOfPixel ? (above[at - bytesOfPixel] ?? 0) : 0);
    row[at] = (row[at] ?? 0) + predicted;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
