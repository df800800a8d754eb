/** The facts about a file that phones show before they have downloaded it. Absent if the file does not say. */
export interface FileFacts {
  /** In whole seconds, at least 1. */
  readonly seconds?: number;
  /** In pixels, as the picture is shown: a photograph that was taken sideways is turned. */
  readonly width?: number;
  readonly height?: number;
  /** A small JPEG. */
  readonly jpegThumbnail?: Uint8Array;
  /** 64 bars from 0 to 100. */
  readonly waveform?: Uint8Array;
}

/**
 * Reads the facts about a file while the file passes through, in memory that does not depend on its size. Malformed
 * files have no facts, or false ones; they never take longer than others of their size.
 */
export interface Scanner {
  /** Resolves when the next chunk may be written. */
  write(chunk: Uint8Array): void | Promise<void>;
  end(): FileFacts | Promise<FileFacts>;
}

/** Longer recordings are taken for damaged files. */
const MOST_SECONDS = 7 * 86_400;

/** `seconds` as a fact, unless a recording cannot be that long. */
export function durationFact(seconds: number): Pick<FileFacts, 'seconds'> {
  return seconds > 0 && seconds <= MOST_SECONDS ? { seconds: Math.max(1, Math.round(seconds)) } : {};
}
