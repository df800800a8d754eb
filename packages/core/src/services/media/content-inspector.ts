import { AUDIO_ALONE } from '../../domain/message/media-rules.ts';
import { detectedAs } from './file-type.ts';
import type { DetectedType } from './file-type.ts';
import { scanTracks } from './mp4-tracks.ts';

/** The signature of a ZIP's first entry. */
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** Determines the type of a file while the file is stored, because its first bytes may not be enough. */
export interface ContentInspector {
  /** Resolves when the next chunk may be written. */
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<DetectedType>;
  /** Called if the file is not stored. */
  abort(): void;
}

export function inspectContent(first: DetectedType, firstBytes: Uint8Array): ContentInspector {
  if (ZIP.every((byte, index) => firstBytes[index] === byte)) return inspectZip(first);
  const audio = AUDIO_ALONE.get(first.mimeType);
  if (audio !== undefined) return inspectTracks(first, audio);
  return { write: async () => {}, end: async () => first, abort: ignore };
}

/** An MP4 or 3GP file with a sound track and no video track is audio, whatever its brand. */
function inspectTracks(first: DetectedType, audio: DetectedType): ContentInspector {
  const tracks = scanTracks();
  return {
    write: async (chunk) => tracks.write(chunk),
    async end() {
      const handlers = tracks.handlers();
      if (handlers === null) return first;
      return handlers.has('soun') && !handlers.has('vide') ? audio : { ...first, isCertain: true };
    },
    abort: ignore,
  };
}

/** An Office document may be identified only by the last entry of its ZIP. */
function inspectZip(first: DetectedType): ContentInspector {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let isDecided = false;
  const detection = detectInStream(readable)
    .catch(() => first) // the ZIP cannot be read
    .finally(() => (isDecided = true));
  writer.closed.catch(ignore);
  return {
    async write(chunk) {
      if (isDecided) return;
      writer.write(chunk).catch(ignore);
      await Promise.race([writer.ready.catch(ignore), detection]);
    },
    async end() {
      if (!isDecided) writer.close().catch(ignore);
      return detection;
    },
    abort() {
      writer.abort().catch(ignore);
    },
  };
}

async function detectInStream(content: ReadableStream<Uint8Array>): Promise<DetectedType> {
  const { fileTypeFromStream } = await import('#file-type');
  return detectedAs(await fileTypeFromStream(content));
}

function ignore(): void {}
