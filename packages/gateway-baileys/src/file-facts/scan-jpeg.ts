import { encodeJpeg } from './encode-jpeg.ts';
import { entropyDecoder, huffmanTable } from './entropy-decoder.ts';
import type { HuffmanTable } from './entropy-decoder.ts';
import { orientationIn } from './exif.ts';
import { createFeed, viewOf } from './feed.ts';
import type { Scanner } from './scanner.ts';
import { fromRgb, shrinkPlane, sizeWithin, thumbnailOf, turned } from './thumbnail.ts';
import type { ShrunkPlane, Size, Thumbnail } from './thumbnail.ts';

/** More bytes than a unit can have. */
const UNIT_BYTES = 10 * 64 * 8;
const MOST_BLOCKS_OF_UNIT = 10;

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const PROGRESSIVE = 0xc2;
const HUFFMAN_TABLES = 0xc4;
const START_OF_SCAN = 0xda;
const QUANTIZATION_TABLES = 0xdb;
const RESTART_INTERVAL = 0xdd;
const EXIF = 0xe1;
const ADOBE = 0xee;

interface Component {
  readonly id: number;
  /** The number of blocks of a unit. */
  readonly across: number;
  readonly down: number;
  readonly steps: number;
  /** The number of blocks that have a part of the picture. */
  readonly blocks: Size;
  readonly plane: ShrunkPlane;
  prediction: number;
  isComplete: boolean;
}

interface Frame {
  readonly isProgressive: boolean;
  readonly components: readonly Component[];
  readonly units: Size;
  readonly thumbnail: Size;
}

interface Scan {
  readonly parts: readonly Part[];
  readonly units: Size;
  unit: number;
  untilRestart: number;
}

/** A component in a scan. */
interface Part {
  readonly component: Component;
  readonly across: number;
  readonly down: number;
  /** The average of a block, from its first coefficient. */
  readonly scale: number;
  readonly first: HuffmanTable;
  /** Null in a progressive scan, which has only the first coefficient of each block. */
  readonly others: HuffmanTable | null;
}

interface Tables {
  /** The steps of the first coefficient, by table. */
  readonly steps: number[];
  readonly first: (HuffmanTable | undefined)[];
  readonly others: (HuffmanTable | undefined)[];
}

/**
 * Reads the size of a JPEG and makes a thumbnail of it, no side of which is longer than `side`. Decodes only the average
 * of each block of 8 by 8 pixels, its first coefficient, so that it needs neither a transform nor memory for the picture
 * (ITU-T T.81). A progressive JPEG begins with these.
 */
export function scanJpeg(side: number): Scanner {
  const tables: Tables = { steps: [], first: [], others: [] };
  const decoder = entropyDecoder();
  let orientation = 1;
  let isRgb = false;
  let restartInterval = 0;
  let size: Size | null = null;
  let frame: Frame | null = null;
  let scan: Scan | null = null;
  let isStarted = false;

  /** Returns false if the rest of the file is of no use. */
  const readSegment = (marker: number, content: Uint8Array): boolean => {
    if (isStartOfFrame(marker)) {
      if (size !== null || content.length < 6) return false;
      size = { width: viewOf(content).getUint16(3), height: viewOf(content).getUint16(1) };
      // Up to here, arithmetic codes and lossless pictures look the same.
      frame = marker <= PROGRESSIVE ? readFrame(content, { ...size, marker, side }) : null;
      return frame !== null;
    }
    switch (marker) {
      case QUANTIZATION_TABLES:
        return readSteps(content, tables);
      case HUFFMAN_TABLES:
        return readCodes(content, tables);
      case RESTART_INTERVAL:
        restartInterval = content.length < 2 ? 0 : viewOf(content).getUint16(0);
        return true;
      case EXIF:
        orientation = orientationIn(content) ?? orientation;
        return true;
      case ADOBE:
        isRgb = content[11] === 0;
        return true;
      case START_OF_SCAN:
        if (frame === null) return false;
        scan = readScan(content, frame, tables);
        if (scan !== null) scan.untilRestart = restartInterval;
        decoder.reset();
        return scan !== null || frame.isProgressive;
      default:
        return true;
    }
  };

  /** Takes a marker with its segment, or everything before a marker. */
  const takeSegment = (bytes: Uint8Array): number => {
    if (bytes.length < 2) return 0;
    const marker = bytes[1] ?? 0;
    if (!isStarted) {
      isStarted = bytes[0] === 0xff && marker === START_OF_IMAGE;
      return isStarted ? 2 : Infinity;
    }
    if (bytes[0] !== 0xff) {
      const next = bytes.indexOf(0xff);
      return next < 0 ? bytes.length : next;
    }
    if (marker === 0xff) return 1;
    if (marker < 0xc0 || (marker > 0xcf && marker < END_OF_IMAGE)) return 2;
    if (marker === END_OF_IMAGE) return Infinity;
    if (bytes.length < 4) return 0;
    const end = 2 + viewOf(bytes).getUint16(2);
    if (end < 4) return Infinity;
    if (bytes.length < end) return 0;
    return readSegment(marker, bytes.subarray(4, end)) ? end : Infinity;
  };

  /** Returns false at the end of the scan. */
  const readUnit = ({ parts, units, ...current }: Scan): boolean => {
    const row = Math.floor(current.unit / units.width);
    const column = current.unit % units.width;
    for (const part of parts) {
      const { component, across, down, first, others, scale } = part;
      for (let block = 0; block < across * down; block++) {
        component.prediction = (component.prediction + decoder.signed(decoder.value(first) & 15)) | 0;
        if (others !== null) decoder.skipBlock(others);
        if (decoder.isOver()) return false;
        const x = column * across + (block % across);
        const y = row * down + Math.floor(block / across);
        const { blocks, plane } = component;
        if (x < blocks.width && y < blocks.height) plane.add(x, y, component.prediction * scale + 128);
      }
    }
    return true;
  };

  const takeUnits = (current: Scan, bytes: Uint8Array, isLast: boolean): number => {
    const total = current.units.width * current.units.height;
    decoder.begin(bytes);
    for (; current.unit < total; current.unit++, current.untilRestart--) {
      if (!isLast && bytes.length - decoder.taken() < UNIT_BYTES) return decoder.taken();
      if (restartInterval > 0 && current.untilRestart === 0) {
        if (!decoder.restart()) break;
        for (const { component } of current.parts) component.prediction = 0;
        current.untilRestart = restartInterval;
      }
      if (!readUnit(current)) break;
    }
    for (const { component } of current.parts) component.isComplete = current.unit === total;
    scan = null;
    const isDone = current.unit < total || frame?.components.every(({ isComplete }) => isComplete);
    return isDone ? Infinity : decoder.taken();
  };

  const feed = createFeed((bytes, isLast) =>
    scan === null ? takeSegment(bytes) : takeUnits(scan, bytes, isLast),
  );

  return {
    write: feed.write,
    end() {
      feed.end();
      if (size === null || size.width === 0 || size.height === 0) return {};
      const { width, height } = orientation >= 5 ? { width: size.height, height: size.width } : size;
      const small = frame && thumbnailIn(frame, isRgb);
      return { width, height, ...(small && { jpegThumbnail: encodeJpeg(turned(small, orientation)) }) };
    },
  };
}

/** Whether a marker is one of SOF0 to SOF15. Only the first three are lossy and have Huffman codes. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![HUFFMAN_TABLES, 0xc8, 0xcc].includes(marker);
}

/** Null if the frame has colours or a precision that phones do not show. */
function readFrame(
  content: Uint8Array,
  { marker, side, ...size }: Size & { readonly marker: number; readonly side: number },
): Frame | null {
  const count = content[5] ?? 0;
  if (content[0] !== 8 || (count !== 1 && count !== 3) || content.length < 6 + count * 3) return null;
  const listed = Array.from({ length: count }, (_, index) => {
    const [id = 0, factors = 0, steps = 0] = content.subarray(6 + index * 3);
    return { id, across: factors >> 4, down: factors & 15, steps };
  });
  const isPossible = listed.every(({ across, down }) => across >= 1 && across <= 4 && down >= 1 && down <= 4);
  const blocksOfUnit = listed.reduce((sum, { across, down }) => sum + across * down, 0);
  if (!isPossible || blocksOfUnit > MOST_BLOCKS_OF_UNIT || size.width === 0 || size.height === 0) return null;
  const most = {
    across: Math.max(...listed.map(({ across }) => across)),
    down: Math.max(...listed.map(({ down }) => down)),
  };
  const blocksOf = ({ across, down }: { readonly across: number; readonly down: number }): Size => ({
    width: Math.ceil(Math.ceil((size.width * across) / most.across) / 8),
    height: Math.ceil(Math.ceil((size.height * down) / most.down) / 8),
  });
  const thumbnail = sizeWithin(blocksOf(most), side);
  return {
    isProgressive: marker === PROGRESSIVE,
    units: {
      width: Math.ceil(size.width / (8 * most.across)),
      height: Math.ceil(size.height / (8 * most.down)),
    },
    thumbnail,
    components: listed.map((component) => {
      const blocks = blocksOf(component);
      return {
        ...component,
        blocks,
        plane: shrinkPlane(blocks, thumbnail),
        prediction: 0,
        isComplete: false,
      };
    }),
  };
}

/** Null if the scan has no first coefficients, or is malformed. */
function readScan(content: Uint8Array, frame: Frame, tables: Tables): Scan | null {
  const count = content[0] ?? 0;
  if (count < 1 || content.length < count * 2 + 4) return null;
  const [start = 0, , approximation = 0] = content.subarray(1 + count * 2);
  // The high half is set in the scans that only refine the first coefficients.
  if (start > 0 || approximation >> 4 > 0) return null;
  const parts: Part[] = [];
  for (let index = 0; index < count; index++) {
    const [id, named = 0] = content.subarray(1 + index * 2);
    const component = frame.components.find((listed) => listed.id === id);
    const first = tables.first[named >> 4];
    const others = frame.isProgressive ? null : tables.others[named & 15];
    if (!component || component.isComplete || !first || others === undefined) return null;
    const { across, down } = count === 1 ? { across: 1, down: 1 } : component;
    const scale = ((1 << (approximation & 15)) * (tables.steps[component.steps] ?? 1)) / 8;
    component.prediction = 0;
    parts.push({ component, across, down, first, others, scale });
  }
  const [part] = parts;
  const units = count === 1 && part ? part.component.blocks : frame.units;
  return { parts, units, unit: 0, untilRestart: 0 };
}

/** Reads the first step of each table, which is in the first byte or the first two (section B.2.4.1). */
function readSteps(content: Uint8Array, { steps }: Tables): boolean {
  for (let at = 0; at < content.length;) {
    const head = content[at] ?? 0;
    const isLong = head >> 4 > 0;
    const end = at + 1 + (isLong ? 128 : 64);
    if (end > content.length) return false;
    steps[head & 3] = isLong ? viewOf(content).getUint16(at + 1) : (content[at + 1] ?? 1);
    at = end;
  }
  return true;
}

/** Reads the tables of codes (section B.2.4.2). */
function readCodes(content: Uint8Array, { first, others }: Tables): boolean {
  for (let at = 0; at < content.length;) {
    const head = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0);
    const table = end <= content.length && huffmanTable(counts, content.subarray(at + 17, end));
    if (!table) return false;
    (head >> 4 === 0 ? first : others)[head & 3] = table;
    at = end;
  }
  return true;
}

function thumbnailIn({ components, thumbnail }: Frame, isMarkedRgb: boolean): Thumbnail | null {
  if (!components.every(({ isComplete }) => isComplete)) return null;
  const [one, two, three] = components;
  if (!one) return null;
  if (!two || !three) return thumbnailOf(thumbnail, (x, y) => [one.plane.at(x, y, thumbnail), 128, 128]);
  const isRgb = isMarkedRgb || String.fromCharCode(one.id, two.id, three.id) === 'RGB';
  return thumbnailOf(thumbnail, (x, y) => {
    const values = [one, two, three].map(({ plane }) => plane.at(x, y, thumbnail));
    const [red = 0, green = 0, blue = 0] = values;
    return isRgb ? fromRgb([red, green, blue]) : [red, green, blue];
  });
}
