import { scanJpeg } from './scan-jpeg.ts';
import { scanMp4 } from './scan-mp4.ts';
import { scanOgg } from './scan-ogg.ts';
import { scanPng } from './scan-png.ts';
import { scanWebp } from './scan-webp.ts';
import type { FileFacts, Scanner } from './scanner.ts';

/** The longer side of a picture's thumbnail, in pixels. Each device of the recipients gets a copy of it. */
const SIDE = 72;
/** The same for the preview of a link, which is shown as it is, for there is no larger picture. */
const LINK_SIDE = 192;
const PIECE = 64 * 1024;

const SCANNERS: ReadonlyMap<string, () => Scanner> = new Map([
  ['image/jpeg', () => scanJpeg(SIDE)],
  ['image/png', () => scanPng(SIDE)],
  ['image/webp', scanWebp],
  ['video/mp4', () => scanMp4(SIDE)],
  ['video/3gpp', () => scanMp4(SIDE)],
  ['audio/mp4', () => scanMp4(SIDE)],
  ['audio/ogg', scanOgg],
]);

/** Reads the facts about files of this type; null if that would take a codec. */
export function scannerOf(mimeType: string): Scanner | null {
  const [type = ''] = mimeType.split(';');
  return SCANNERS.get(type.trim())?.() ?? null;
}

/** A JPEG for the preview of a link; undefined if the image, a JPEG or a PNG, cannot be read. */
export async function linkThumbnail(image: Uint8Array): Promise<Uint8Array | undefined> {
  const scanner = image[0] === 0xff ? scanJpeg(LINK_SIDE) : scanPng(LINK_SIDE);
  for (let at = 0; at < image.length; at += PIECE) {
    await scanner.write(image.subarray(at, at + PIECE));
    // Lets others have their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (await scanner.end()).jpegThumbnail;
}

interface ReadFile {
  /** The same content. */
  readonly content: ReadableStream<Uint8Array>;
  /** The facts about the file, once the content has been read; none before. */
  facts(): FileFacts;
}

/** Reads the facts about a file while it is read for another purpose, which a failure (`failed`) does not disturb. */
export function withFacts(
  content: ReadableStream<Uint8Array>,
  scanner: Scanner,
  failed: (error: unknown) => void,
): ReadFile {
  let facts: FileFacts = {};
  let isScanning = true;
  const scan = async (step: () => unknown): Promise<void> => {
    if (!isScanning) return;
    try {
      await step();
    } catch (error) {
      isScanning = false;
      failed(error);
    }
  };
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await scan(() => scanner.write(chunk));
      controller.enqueue(chunk);
    },
    flush: () =>
      scan(async () => {
        facts = await scanner.end();
      }),
  });
  return { content: content.pipeThrough(passing), facts: () => facts };
}
