import {
  AUDIO_ALONE,
  UNKNOWN_MIME_TYPE,
  mediaFamily,
  registeredMimeType,
} from '../../domain/message/media-rules.ts';

/** How many of a file's first bytes `file-type` needs to detect the file's type. */
export const DETECTION_BYTES = 4_100;

export interface FileType {
  /** A registered type, without parameters. */
  readonly mimeType: string;
  /** The extension without a dot. */
  readonly extension: string;
}

/** A type that the bytes of a file show. */
export interface DetectedType extends FileType {
  /** Whether the bytes identify the format. The bytes of a ZIP or an XML file fit many formats. */
  readonly isCertain: boolean;
  /** Whether a WebP picture moves; absent for every other file. */
  readonly isAnimated?: boolean;
}

/** How a client or the network describes a file. */
export interface FileDescription {
  /** Null or `application/octet-stream` if the type is unknown. */
  readonly mimeType: string | null;
  readonly filename: string | null;
}

const UNKNOWN: DetectedType = { mimeType: UNKNOWN_MIME_TYPE, extension: 'bin', isCertain: false };

/** Formats that other formats are built on. An MP4 or 3GP file is certain once its tracks are known. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-cfb',
  'application/xml',
  'application/gzip',
  'video/matroska',
  'video/webm',
  ...AUDIO_ALONE.keys(),
]);

export async function detectFileType(firstBytes: Uint8Array): Promise<DetectedType> {
  // Import with the first file, so that a process without files does not load the library.
  const { fileTypeFromBuffer } = await import('#file-type');
  try {
    const detected = detectedAs(await fileTypeFromBuffer(firstBytes));
    return detected.mimeType === 'image/webp'
      ? { ...detected, isAnimated: isAnimatedWebp(firstBytes) }
      : detected;
  } catch {
    // The bytes begin like a known type, but the type's parser fails.
    return UNKNOWN;
  }
}

/** By the flags of the extended format (RFC 9649, section 2.7.1); the simple formats have one frame. */
function isAnimatedWebp(firstBytes: Uint8Array): boolean {
  const [flags = 0] = firstBytes.subarray(20, 21);
  return new TextDecoder().decode(firstBytes.subarray(12, 16)) === 'VP8X' && (flags & 0x02) !== 0;
}

/** Converts a result of `file-type`, using the registered name of the type. */
export function detectedAs(
  detected: { readonly mime: string; readonly ext: string } | undefined,
): DetectedType {
  if (!detected) return UNKNOWN;
  const mimeType = registeredMimeType(detected.mime);
  return { mimeType, extension: detected.ext, isCertain: !CONTAINERS.has(mimeType) };
}

/**
 * The type of a sent document: from its bytes if they identify the format, else from the client's
 * description.
 */
export async function typeOfSent(detected: DetectedType, described: FileDescription): Promise<FileType> {
  return detected.isCertain ? detected : typeAsDescribed(detected, described);
}

/**
 * The type of a received file: as the network describes it, unless the bytes belong to another family, such
 * as a picture that is announced as a recording.
 */
export async function typeOfReceived(detected: DetectedType, described: FileDescription): Promise<FileType> {
  const announced = registeredMimeType(described.mimeType ?? '');
  return contradicts(detected, announced) ? detected : typeAsDescribed(detected, described);
}

function contradicts({ mimeType, isCertain }: DetectedType, announced: string): boolean {
  const shown = mediaFamily(mimeType);
  const said = mediaFamily(announced);
  if (isCertain) return announced === UNKNOWN_MIME_TYPE || shown !== said;
  // A container of sound or moving pictures may be audio as well as video.
  return said === 'image' && shown !== null;
}

async function typeAsDescribed(
  { mimeType: detected, extension }: DetectedType,
  { mimeType, filename }: FileDescription,
): Promise<FileType> {
  const { default: mime } = await import('mime');
  const declared = registeredMimeType(mimeType ?? '');
  const named = filename?.includes('.') ? mime.getType(filename) : null;
  const known = [declared, named, detected].find((one) => one !== null && one !== UNKNOWN_MIME_TYPE);
  if (known === undefined || known === null || known === detected) return { mimeType: detected, extension };
  return { mimeType: known, extension: mime.getExtension(known) ?? extension };
}

/** Reads the first bytes of a stream (fewer if it is shorter), and returns them with the whole stream. */
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
