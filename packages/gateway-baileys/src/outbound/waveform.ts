/** The number of bars that phones show for a voice message, each from 0 to 100. */
const BARS = 64;
/** The maximum number of groups of packets, which bounds memory while a file is read. */
const MOST_GROUPS = 1_024;
/** The first packets of Opus in Ogg contain no sound (RFC 7845, section 3). */
const HEADER_PACKETS = 2;

/** The length of an Ogg page header. Its last byte is the number of segment sizes that follow (RFC 3533, section 6). */
const PAGE_HEADER = 27;
const CAPTURE_PATTERN = [0x4f, 0x67, 0x67, 0x53]; // OggS

/**
 * Returns the same content with its waveform, which is complete once the content has been read. Packet sizes
 * approximate the loudness, because Opus spends more bytes on sound than on silence; decoding could take gigabytes.
 * Without packets, all bars are 0.
 */
export function withWaveform(content: ReadableStream<Uint8Array>): {
  readonly content: ReadableStream<Uint8Array>;
  readonly waveform: Uint8Array;
} {
  const waveform = new Uint8Array(BARS);
  const groups = sizeGroups();
  const read = oggPackets(groups.add);
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read(chunk);
      controller.enqueue(chunk);
    },
    flush() {
      waveform.set(barsOf(groups.averages()));
    },
  });
  return { content: content.pipeThrough(passing), waveform };
}

/**
 * Returns a function that takes chunks and calls `found` with the size of each complete packet. Ignores everything
 * after bytes that are not an Ogg page.
 */
function oggPackets(found: (size: number) => void): (chunk: Uint8Array) => void {
  const header = new Uint8Array(PAGE_HEADER + 255);
  let filled = 0;
  let toSkip = 0;
  let packet = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (toSkip > 0) {
        const skipped = Math.min(toSkip, chunk.length - at);
        toSkip -= skipped;
        at += skipped;
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (filled < CAPTURE_PATTERN.length && byte !== CAPTURE_PATTERN[filled]) {
        toSkip = Infinity;
        continue;
      }
      header[filled] = byte;
      filled += 1;
      at += 1;
      if (filled < PAGE_HEADER || filled < PAGE_HEADER + (header[PAGE_HEADER - 1] ?? 0)) continue;
      for (const size of header.subarray(PAGE_HEADER, filled)) {
        packet += size;
        toSkip += size;
        // After a segment of 255 bytes, the packet continues in the next segment.
        if (size === 255) continue;
        found(packet);
        packet = 0;
      }
      filled = 0;
    }
  };
}

/** Averages packet sizes over groups. When there are too many groups, their size is doubled. */
function sizeGroups(): { add(size: number): void; averages(): readonly number[] } {
  let sums: number[] = [];
  let perGroup = 1;
  let inLast = 0;
  let headers = HEADER_PACKETS;
  return {
    add(size) {
      if (headers > 0) {
        headers -= 1;
        return;
      }
      if (inLast === 0 || inLast === perGroup) {
        if (sums.length === MOST_GROUPS) {
          sums = sums.flatMap((sum, index) => (index % 2 === 0 ? [sum + (sums[index + 1] ?? 0)] : []));
          perGroup *= 2;
        }
        sums.push(0);
        inLast = 0;
      }
      sums[sums.length - 1] = (sums.at(-1) ?? 0) + size;
      inLast += 1;
    },
    averages: () => sums.map((sum, index) => sum / (index === sums.length - 1 ? inLast : perGroup)),
  };
}

/** Averages the groups into BARS bars, where 100 is the level of the loudest group. */
function barsOf(averages: readonly number[]): Uint8Array {
  const most = Math.max(1, ...averages);
  return Uint8Array.from({ length: BARS }, (_, bar) => {
    const first = Math.floor((bar * averages.length) / BARS);
    const end = Math.max(first + 1, Math.floor(((bar + 1) * averages.length) / BARS));
    const group = averages.slice(first, end);
    const average = group.reduce((sum, size) => sum + size, 0) / Math.max(1, group.length);
    return Math.round((100 * average) / most);
  });
}
