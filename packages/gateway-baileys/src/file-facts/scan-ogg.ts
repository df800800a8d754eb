import { createFeed, nameAt, viewOf } from './feed.ts';
import { durationFact } from './scanner.ts';
import type { Scanner } from './scanner.ts';
import { packetLevels } from './packet-levels.ts';

/** A page header. Its last byte is the number of segment sizes that follow (RFC 3533, section 6). */
const PAGE_HEADER = 27;
/** The beginning of the first packet, with what is read of it. */
const ENOUGH = 16;
/** The first packets of Opus contain no sound (RFC 7845, section 3). */
const HEADER_PACKETS = 2;
const OPUS_RATE = 48_000;

interface Codec {
  /** Samples a second. */
  readonly rate: number;
  /** Samples before the first one that is heard. */
  readonly skipped: number;
}

/**
 * Reads the duration and the waveform of Opus or Vorbis in Ogg. Packet sizes approximate the loudness, because a codec
 * spends more bytes on sound than on silence; decoding could take gigabytes. Ignores everything after bytes that are not
 * an Ogg page.
 */
export function scanOgg(): Scanner {
  const levels = packetLevels();
  let codec: Codec | null = null;
  let packets = 0;
  let packet = 0;
  let position = 0;

  const feed = createFeed((bytes, isLast) => {
    if (bytes.length < PAGE_HEADER) return isLast ? Infinity : 0;
    if (nameAt(bytes, 0) !== 'OggS') return Infinity;
    const head = PAGE_HEADER + (bytes[PAGE_HEADER - 1] ?? 0);
    if (bytes.length < head + ENOUGH && !isLast) return 0;
    codec ??= codecIn(bytes.subarray(head));
    // -1 if no packet ends on the page.
    position = Math.max(position, Number(viewOf(bytes).getBigInt64(6, true)));
    let page = head;
    for (const size of bytes.subarray(PAGE_HEADER, head)) {
      packet += size;
      page += size;
      // After a segment of 255 bytes, the packet continues in the next segment.
      if (size === 255) continue;
      packets += 1;
      if (packets > HEADER_PACKETS) levels.add(packet);
      packet = 0;
    }
    return page;
  });

  return {
    write: feed.write,
    end() {
      feed.end();
      const duration = codec && codec.rate > 0 ? (position - codec.skipped) / codec.rate : 0;
      return { ...durationFact(duration), waveform: levels.bars() };
    },
  };
}

function codecIn(packet: Uint8Array): Codec | null {
  if (packet.length < ENOUGH) return null;
  const view = viewOf(packet);
  const name = nameAt(packet, 0) + nameAt(packet, 4);
  if (name === 'OpusHead') return { rate: OPUS_RATE, skipped: view.getUint16(10, true) };
  if (name.startsWith('\x01vorbis')) return { rate: view.getUint32(12, true), skipped: 0 };
  return null;
}
