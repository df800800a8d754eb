import { createFeed, nameAt, viewOf } from './feed.ts';
import type { FileFacts, Scanner } from './scanner.ts';

/** The bytes up to the size, in each of the three forms of the first chunk. */
const ENOUGH = 30;

/** Reads the size of a WebP (RFC 9649). Its thumbnail would take a codec. */
export function scanWebp(): Scanner {
  let facts: FileFacts = {};
  const feed = createFeed((bytes, isLast) => {
    if (bytes.length < ENOUGH && !isLast) return 0;
    facts = sizeIn(bytes);
    return Infinity;
  });
  return {
    write: feed.write,
    end() {
      feed.end();
      return facts;
    },
  };
}

function sizeIn(bytes: Uint8Array): FileFacts {
  if (bytes.length < ENOUGH || nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WEBP') return {};
  const view = viewOf(bytes);
  switch (nameAt(bytes, 12)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return {
        width: (view.getUint32(24, true) & 0xff_ffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      };
    default:
      return {};
  }
}
