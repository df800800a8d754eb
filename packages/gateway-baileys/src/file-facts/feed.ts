/** The most bytes that a reader can ask for at a time: more than any segment of a JPEG has. */
const ROOM = 72 * 1024;

/**
 * Takes bytes from the beginning of `bytes`, and returns how many. More than there are means that those that follow are
 * skipped, up to `Infinity`; 0 asks for more bytes, unless `isLast`.
 */
export type Take = (bytes: Uint8Array, isLast: boolean) => number;

/** Gathers the chunks of a file for a reader that needs several bytes at a time. Holds 72 KB at most. */
export interface Feed {
  write(chunk: Uint8Array): void;
  end(): void;
}

export function createFeed(take: Take): Feed {
  let held = new Uint8Array();
  let filled = 0;
  let toSkip = 0;

  const skip = (chunk: Uint8Array): Uint8Array => {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    return chunk.subarray(skipped);
  };

  const drain = (isLast: boolean): void => {
    let at = 0;
    while (at < filled) {
      const taken = take(held.subarray(at, filled), isLast);
      if (taken <= 0) break;
      at += taken;
    }
    if (at < filled) {
      held.copyWithin(0, at, filled);
      filled -= at;
      // The reader asks for more than it can get.
      if (filled === ROOM) toSkip = Infinity;
    } else {
      toSkip = at - filled;
      filled = 0;
    }
  };

  return {
    write(chunk) {
      for (let rest = skip(chunk); rest.length > 0; rest = skip(rest)) {
        if (held.length === 0) held = new Uint8Array(ROOM);
        const part = rest.subarray(0, ROOM - filled);
        held.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
        if (filled === ROOM) drain(false);
      }
    },
    end() {
      drain(true);
    },
  };
}

/** A view of the same bytes, to read numbers from. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The four letters that name a box, chunk or brand. */
export function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
