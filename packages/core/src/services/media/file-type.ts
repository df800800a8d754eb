import { UNKNOWN_MIME_TYPE, registeredMimeType } from '../../domain/message/media-rules.ts';

/** The first bytes of a file that determine its type (what `file-type` asks for). */
export const DETECTION_BYTES = 4_100;

export interface FileType {
  /** Registered, without parameters. */
  readonly mimeType: string;
  /** Without a dot. */
  readonly extension: string;
}

const UNKNOWN: FileType = { mimeType: UNKNOWN_MIME_TYPE, extension: 'bin' };

/** The type that the first bytes show or, if they show none (or there are none), the one that the network gives. */
export function detectedOr(detected: FileType | null, mimeType: string): FileType {
  if (detected && detected.mimeType !== UNKNOWN_MIME_TYPE) return detected;
  return { ...UNKNOWN, mimeType: registeredMimeType(mimeType) };
}

/** The type of a file by its first bytes: what a client calls it is not believed. */
export async function detectFileType(firstBytes: Uint8Array): Promise<FileType> {
  // With the first file: a process that never has one does not keep the library in its memory.
  const { fileTypeFromBuffer } = await import('#file-type');
  try {
    const detected = await fileTypeFromBuffer(firstBytes);
    return detected ? { mimeType: registeredMimeType(detected.mime), extension: detected.ext } : UNKNOWN;
  } catch {
    // Made to look like a type that it is not.
    return UNKNOWN;
  }
}

/** Reads the first bytes of a stream (fewer where it is shorter) without taking them away from who reads it next. */
export async function peek(
  stream: ReadableStream<Uint8Array>,
  length: number,
): Promise<{ readonly first: Uint8Array; readonly whole: ReadableStream<Uint8Array> }> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ended = false;
  while (size < length && !ended) {
    const { done, value } = await reader.read();
    ended = done;
    if (value) {
      chunks.push(value);
      size += value.byteLength;
    }
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const kept = chunks.shift();
      if (kept) return controller.enqueue(kept);
      const next = ended ? null : await reader.read();
      if (next?.value) controller.enqueue(next.value);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first: joinedUpTo(chunks, length), whole };
}

function joinedUpTo(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(
    Math.min(
      length,
      chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
    ),
  );
  let offset = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, joined.length - offset);
    joined.set(part, offset);
    offset += part.byteLength;
  }
  return joined;
}
