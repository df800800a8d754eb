import { createInflate } from 'node:zlib';
import type { Inflate } from 'node:zlib';
import { encodeJpeg } from './encode-jpeg.ts';
import { createFeed, nameAt, viewOf } from './feed.ts';
import { pngRows } from './png-rows.ts';
import type { PngHeader, PngRows } from './png-rows.ts';
import type { Scanner } from './scanner.ts';
import { fromRgb, thumbnailOf } from './thumbnail.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The length and the name of a chunk. */
const HEAD = 8;
const CHECKSUM = 4;
const HEADER = 13;
const LONGEST_PALETTE = 256 * 3;

/**
 * Reads the size of a PNG and makes a thumbnail of it, no side of which is longer than `side` (W3C, Portable Network
 * Graphics).
 */
export function scanPng(side: number): Scanner {
  let header: PngHeader | null = null;
  let palette = new Uint8Array();
  let rows: PngRows | null = null;
  let inflate: Inflate | null = null;
  /** The compressed data that was found in the current chunk of the file. */
  let found: Uint8Array[] = [];
  let dataLeft = 0;
  let isStarted = false;

  const feed = createFeed((bytes, isLast) => {
    if (dataLeft > 0) {
      // Copied, because the feed uses its memory again.
      const data = bytes.slice(0, dataLeft);
      found.push(data);
      dataLeft -= data.length;
      return dataLeft === 0 ? data.length + CHECKSUM : data.length;
    }
    if (bytes.length < HEAD) return isLast ? Infinity : 0;
    if (!isStarted) {
      isStarted = SIGNATURE.every((byte, index) => bytes[index] === byte);
      return isStarted ? SIGNATURE.length : Infinity;
    }
    const length = viewOf(bytes).getUint32(0);
    const content = bytes.subarray(HEAD, HEAD + Math.min(length, LONGEST_PALETTE));
    const isWhole = content.length === Math.min(length, LONGEST_PALETTE);
    switch (nameAt(bytes, 4)) {
      case 'IHDR':
        if (header !== null || length !== HEADER) return Infinity;
        if (!isWhole) return 0;
        header = readHeader(content);
        break;
      case 'PLTE':
        if (!isWhole) return 0;
        palette = content.slice();
        break;
      case 'IDAT':
        rows ??= header && pngRows(header, { palette, side });
        if (rows === null) return Infinity;
        dataLeft = length;
        if (length > 0) return HEAD;
        break;
      case 'IEND':
        return Infinity;
      default:
        if (header === null) return Infinity;
    }
    return HEAD + length + CHECKSUM;
  });

  const decompress = async (): Promise<void> => {
    const data = Buffer.concat(found);
    found = [];
    if (data.length === 0 || rows === null || rows.isComplete() || inflate?.destroyed) return;
    inflate ??= inflateInto(rows);
    await writeTo(inflate, data);
  };

  return {
    write(chunk) {
      feed.write(chunk);
      return decompress();
    },
    async end() {
      feed.end();
      await decompress();
      inflate?.destroy();
      if (header === null || header.width === 0 || header.height === 0) return {};
      const { width, height } = header;
      const small = rows?.thumbnail();
      if (!small) return { width, height };
      const jpegThumbnail = encodeJpeg(thumbnailOf(small.size, (x, y) => fromRgb(small.at(x, y))));
      return { width, height, jpegThumbnail };
    },
  };
}

function readHeader(content: Uint8Array): PngHeader {
  const view = viewOf(content);
  return {
    width: view.getUint32(0),
    height: view.getUint32(4),
    depth: view.getUint8(8),
    colors: view.getUint8(9),
    isInterlaced: view.getUint8(12) !== 0,
  };
}

/** Decompresses on another thread, in pieces that delay nothing else, until there are all rows. */
function inflateInto(rows: PngRows): Inflate {
  const inflate = createInflate({ chunkSize: 64 * 1024 });
  inflate.on('data', (bytes: Buffer) => {
    rows.write(bytes);
    if (rows.isComplete()) inflate.destroy();
  });
  // Then there is no thumbnail.
  inflate.on('error', () => undefined);
  return inflate;
}

/** Resolves when the data is decompressed, or cannot be. */
function writeTo(inflate: Inflate, data: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    inflate.once('close', resolve);
    inflate.write(data, () => {
      inflate.off('close', resolve);
      resolve();
    });
  });
}
