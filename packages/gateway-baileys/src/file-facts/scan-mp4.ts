import { createFeed, nameAt, viewOf } from './feed.ts';
import { scanJpeg } from './scan-jpeg.ts';
import { durationFact } from './scanner.ts';
import type { FileFacts, Scanner } from './scanner.ts';

/** Boxes that contain boxes, on the paths to those that are read (ISO/IEC 14496-12), by the bytes before these. */
const CONTAINERS: ReadonlyMap<string, number> = new Map([
  ['moov', 0],
  ['trak', 0],
  ['udta', 0],
  ['meta', 4],
  ['ilst', 0],
  ['covr', 0],
]);
/** A box's size and type; with a size of 64 bits, twice as much. */
const HEAD = 8;
/** The part of the boxes `mvhd` and `tkhd` that is read. */
const ENOUGH = 104;
const JPEG = 13;

/**
 * Reads the duration, the size and the cover of an MP4 or 3GP file. The thumbnail of a video without a cover, which
 * those of phones are, would take a codec.
 */
export function scanMp4(side: number): Scanner {
  const cover = scanJpeg(side);
  let facts: FileFacts = {};
  let coverLeft = 0;

  const feed = createFeed((bytes, isLast) => {
    if (coverLeft > 0) {
      const part = bytes.subarray(0, coverLeft);
      coverLeft -= part.length;
      void cover.write(part);
      return part.length;
    }
    if (bytes.length < HEAD * 2 && !isLast) return 0;
    if (bytes.length < HEAD) return Infinity;
    const view = viewOf(bytes);
    const type = nameAt(bytes, 4);
    const isLong = view.getUint32(0) === 1 && bytes.length >= HEAD * 2;
    const head = isLong ? HEAD * 2 : HEAD;
    const size = isLong ? Number(view.getBigUint64(HEAD)) : view.getUint32(0);
    // A box of the size 0 is the last one.
    if (size < head) return Infinity;
    const before = CONTAINERS.get(type);
    if (before !== undefined) return head + before;
    const isRead = type === 'mvhd' || type === 'tkhd' || type === 'data';
    if (!isRead) return size;
    if (bytes.length < Math.min(size, ENOUGH) && !isLast) return 0;
    const content = bytes.subarray(head, Math.min(size, ENOUGH));
    if (type === 'mvhd') facts = { ...facts, ...durationIn(content) };
    if (type === 'tkhd') facts = { ...sizeIn(content), ...facts };
    if (type !== 'data' || content.length < 8 || viewOf(content).getUint32(0) !== JPEG) return size;
    coverLeft = size - head - 8;
    return head + 8;
  });

  return {
    write: feed.write,
    async end() {
      feed.end();
      const { jpegThumbnail } = await cover.end();
      return { ...facts, ...(jpegThumbnail && { jpegThumbnail }) };
    },
  };
}

/** Reads the header of the movie (section 8.2.2). */
function durationIn(content: Uint8Array): FileFacts {
  const isLong = content[0] === 1;
  if (content.length < (isLong ? 32 : 20)) return {};
  const view = viewOf(content);
  const perSecond = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return perSecond === 0 ? {} : durationFact(duration / perSecond);
}

/** Reads the header of a track (section 8.3.2), which has the size 0 unless it is a video. */
function sizeIn(content: Uint8Array): FileFacts {
  const matrix = content[0] === 1 ? 52 : 40;
  if (content.length < matrix + 44) return {};
  const view = viewOf(content);
  const [width, height] = [view.getUint16(matrix + 36), view.getUint16(matrix + 40)];
  if (width === 0 || height === 0) return {};
  // A phone that was held upright turns the picture by 90 degrees.
  const isTurned = view.getInt32(matrix) === 0 && view.getInt32(matrix + 16) === 0;
  return isTurned ? { width: height, height: width } : { width, height };
}
