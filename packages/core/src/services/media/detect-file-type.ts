import { UNKNOWN_MIME_TYPE, registeredMimeType } from '../../domain/message/media-rules.ts';

/** The first bytes of a file that tell its type (what `file-type` asks for). */
export const DETECTION_BYTES = 4_100;

export interface FileType {
  /** Registered, without parameters. */
  readonly mimeType: string;
  /** Without a dot. */
  readonly extension: string;
}

const UNKNOWN: FileType = { mimeType: UNKNOWN_MIME_TYPE, extension: 'bin' };

/** What the first bytes told, or where they told nothing (or there were none) the type that the network gives. */
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
