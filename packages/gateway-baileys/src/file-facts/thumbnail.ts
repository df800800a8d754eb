/** A small picture in YCbCr, as JPEG has it: each plane has a value from 0 to 255 for each pixel. */
export interface Thumbnail {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly [Uint8Array, Uint8Array, Uint8Array];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size in which no side is longer than `side`, in the same proportions; never larger than `size`. */
export function sizeWithin({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Averages the samples of a large plane into the cells of a small one, in whatever order they come. */
export interface ShrunkPlane {
  add(x: number, y: number, value: number): void;
  /** The value at a pixel of a picture of this size. */
  at(x: number, y: number, of: Size): number;
}

export function shrinkPlane(from: Size, to: Size): ShrunkPlane {
  const width = Math.min(from.width, to.width);
  const height = Math.min(from.height, to.height);
  const sums = new Float64Array(width * height);
  const counts = new Uint32Array(width * height);
  return {
    add(x, y, value) {
      const cell = Math.floor((y * height) / from.height) * width + Math.floor((x * width) / from.width);
      sums[cell] = (sums[cell] ?? 0) + value;
      counts[cell] = (counts[cell] ?? 0) + 1;
    },
    at(x, y, of) {
      const cell = Math.floor((y * height) / of.height) * width + Math.floor((x * width) / of.width);
      return (sums[cell] ?? 0) / Math.max(1, counts[cell] ?? 0);
    },
  };
}

/** Makes a thumbnail from a function that returns the three values of each pixel. */
export function thumbnailOf(
  { width, height }: Size,
  pixel: (x: number, y: number) => readonly [number, number, number],
): Thumbnail {
  const planes = [0, 1, 2].map(() => new Uint8ClampedArray(width * height));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const values = pixel(x, y);
      for (const [index, plane] of planes.entries()) plane[y * width + x] = values[index] ?? 0;
    }
  }
  const [luma, blue, red] = planes.map(({ buffer }) => new Uint8Array(buffer));
  if (!luma || !blue || !red) throw new Error('A thumbnail has three planes.');
  return { width, height, planes: [luma, blue, red] };
}

/** Converts a pixel as JPEG does (ITU-T T.871, section 7). */
export function fromRgb([red, green, blue]: readonly [number, number, number]): readonly [
  number,
  number,
  number,
] {
  return [
    0.299 * red + 0.587 * green + 0.114 * blue,
    128 - 0.168_736 * red - 0.331_264 * green + 0.5 * blue,
    128 + 0.5 * red - 0.418_688 * green - 0.081_312 * blue,
  ];
}

/** Turns and mirrors a picture as its camera says (Exif, tag `Orientation`, 1 to 8). */
export function turned({ width, height, planes }: Thumbnail, orientation: number): Thumbnail {
  const [luma, blue, red] = planes;
  const swaps = orientation >= 5;
  const mirrorsX = [2, 3, 7, 8].includes(orientation);
  const mirrorsY = [3, 4, 6, 7].includes(orientation);
  return thumbnailOf(swaps ? { width: height, height: width } : { width, height }, (x, y) => {
    const [across, down] = swaps ? [y, x] : [x, y];
    const at = (mirrorsY ? height - 1 - down : down) * width + (mirrorsX ? width - 1 - across : across);
    return [luma[at] ?? 0, blue[at] ?? 0, red[at] ?? 0];
  });
}
