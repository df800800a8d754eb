/** Reads the kinds of tracks of an MP4 or 3GP file while the file streams through. */
export interface TrackScan {
  write(chunk: Uint8Array): void;
  /** The handlers of the tracks, such as `vide` and `soun`; null if the file has no readable list of tracks. */
  handlers(): ReadonlySet<string> | null;
}

/** Boxes that contain boxes, on the path to the handler of a track (ISO/IEC 14496-12 section 8). */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia']);
/** The length of a box's size and type. */
const HEADER = 8;
/** The length of a box's size and type if the size has 64 bits. */
const LONG_HEADER = 16;
/** The length of the version, the flags, a reserved field and the handler's type. */
const HANDLER = 12;

/** Keeps only a few bytes in memory, although the list of tracks may come after a long recording. */
export function scanTracks(): TrackScan {
  const found = new Set<string>();
  let held = new Uint8Array();
  let toSkip = 0;
  let isReadable = true;

  /** Reads the header of a box. Returns the number of bytes taken; 0 if more bytes are needed. */
  const takeBox = (bytes: Uint8Array): number => {
    if (bytes.length < HEADER) return 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const type = String.fromCharCode(...bytes.subarray(4, HEADER));
    const shortSize = view.getUint32(0);
    const header = shortSize === 1 ? LONG_HEADER : HEADER;
    if (bytes.length < header + (type === 'hdlr' ? HANDLER : 0)) return 0;
    const size = shortSize === 1 ? Number(view.getBigUint64(HEADER)) : shortSize;
    if (CONTAINERS.has(type)) return header;
    if (type === 'hdlr') found.add(String.fromCharCode(...bytes.subarray(header + 8, header + HANDLER)));
    if (size < header) {
      // Size 0 means up to the end of the file; any other size below the header's is an error.
      isReadable = size === 0;
      toSkip = Infinity;
    } else {
      toSkip = size - header;
    }
    return header;
  };

  const skip = (bytes: Uint8Array): Uint8Array => {
    const skipped = Math.min(toSkip, bytes.length);
    toSkip -= skipped;
    return bytes.subarray(skipped);
  };

  return {
    write(chunk) {
      let rest = skip(chunk);
      if (rest.length === 0) return;
      if (held.length > 0) {
        const joined = new Uint8Array(held.length + rest.length);
        joined.set(held);
        joined.set(rest, held.length);
        rest = joined;
      }
      for (let taken = takeBox(rest); taken > 0; taken = takeBox(rest)) rest = skip(rest.subarray(taken));
      held = rest.slice();
    },
    handlers: () => (isReadable && found.size > 0 ? found : null),
  };
}
