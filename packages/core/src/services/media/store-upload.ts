import {
  LARGEST_MEDIA_SIZE,
  MEDIA_SIZE_MAX,
  checkMimeType,
  mediaTooLarge,
} from '../../domain/message/media-rules.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import { ok } from '../../domain/result.ts';
import type { Refusal, Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { DETECTION_BYTES, detectFileType } from './detect-file-type.ts';
import type { FileType } from './detect-file-type.ts';
import { peek } from './peek.ts';

/** A file whose content is durable, and that belongs to no message yet. */
export interface StoredUpload extends FileType {
  /** What the media store keeps it under. */
  readonly contentId: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** What is to be stored, and how. */
export interface UploadRequest {
  readonly content: ReadableStream<Uint8Array>;
  /** Of the message, where it is known already. */
  readonly type: MediaType | null;
  /** What to keep it under. */
  readonly contentId: string;
}

/**
 * Stores a file as it streams in: type from its first bytes, limit and digest on the way, never whole in memory. Where
 * the message's type is known already, its limit and types hold at once, else the largest limit. What is refused or
 * breaks off leaves nothing behind.
 */
export async function storeUpload(
  context: ServiceContext,
  { content, type, contentId }: UploadRequest,
): Promise<Result<StoredUpload>> {
  const { first, whole } = await peek(content, DETECTION_BYTES);
  const fileType = await detectFileType(first);
  const accepted = type === null ? ok(fileType.mimeType) : checkMimeType(type, fileType.mimeType);
  if (!accepted.ok) {
    await giveUp(whole);
    return accepted;
  }
  const limit = type === null ? LARGEST_MEDIA_SIZE : MEDIA_SIZE_MAX[type];
  const stored = await storeWithin(context, { content: whole, contentId, limit });
  return stored.ok ? ok({ ...stored.value, ...fileType }) : stored;
}

/**
 * Deletes a file that will belong to no message. Never rejects, as its caller has something else to tell: what cannot
 * be deleted now is swept by and by.
 */
export async function discardUpload(
  { media, storage, logger }: ServiceContext,
  { contentId }: Pick<StoredUpload, 'contentId'>,
): Promise<void> {
  try {
    // The bytes first: what is forgotten is swept no more.
    await media.delete(contentId);
    await storage.media.forget(contentId);
  } catch (error) {
    logger.warn({ err: error, contentId }, 'a file could not be discarded, and is swept later');
  }
}

async function storeWithin(
  context: ServiceContext,
  { content, contentId, limit }: Omit<UploadRequest, 'type'> & { readonly limit: number },
): Promise<Result<Omit<StoredUpload, keyof FileType>>> {
  const { storage, media, clock, crypto } = context;
  const digest = crypto.createSha256();
  const counted = upTo(content, limit, (chunk) => digest.update(chunk));
  try {
    await storage.media.begin(contentId, clock.now());
    const size = await media.put(contentId, counted.stream);
    return ok({ contentId, size, sha256: digest.hex() });
  } catch (error) {
    await giveUp(counted.stream);
    await discardUpload(context, { contentId });
    // Whatever the store has made of the error that ended its stream.
    const refusal = counted.refusal();
    if (refusal) return { ok: false, refusal };
    throw error;
  }
}

/** Passes a stream on until it holds more than `limit` bytes. */
function upTo(
  content: ReadableStream<Uint8Array>,
  limit: number,
  seen: (chunk: Uint8Array) => void,
): { readonly stream: ReadableStream<Uint8Array>; refusal(): Refusal | null } {
  let size = 0;
  let refusal: Refusal | null = null;
  const stream = content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) {
          refusal = mediaTooLarge(limit).refusal;
          throw new Error(refusal.message);
        }
        seen(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  return { stream, refusal: () => refusal };
}

/** Tells whoever sends that no more is wanted. One that has failed, or that is being read, needs no telling. */
async function giveUp(stream: ReadableStream<Uint8Array>): Promise<void> {
  await stream.cancel().catch(() => undefined);
}
