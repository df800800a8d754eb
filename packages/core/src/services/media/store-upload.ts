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
  /** The id of the message that it is for. */
  readonly messageId: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * Stores a file as it streams in: type from its first bytes, limit and digest on the way, never whole in memory. Where
 * the message's type is known already, its limit and types hold at once, else the largest limit. What is refused or
 * breaks off leaves nothing behind.
 */
export async function storeUpload(
  context: ServiceContext,
  content: ReadableStream<Uint8Array>,
  type: MediaType | null,
): Promise<Result<StoredUpload>> {
  const { first, whole } = await peek(content, DETECTION_BYTES);
  const fileType = await detectFileType(first);
  const accepted = type === null ? ok(fileType.mimeType) : checkMimeType(type, fileType.mimeType);
  if (!accepted.ok) {
    await giveUp(whole);
    return accepted;
  }
  const stored = await storeWithin(context, whole, type === null ? LARGEST_MEDIA_SIZE : MEDIA_SIZE_MAX[type]);
  return stored.ok ? ok({ ...stored.value, ...fileType }) : stored;
}

/**
 * Deletes a file that will belong to no message. Never rejects, as its caller has something else to tell: what cannot
 * be deleted now is swept by and by.
 */
export async function discardUpload(
  { media, storage, logger }: ServiceContext,
  { messageId }: Pick<StoredUpload, 'messageId'>,
): Promise<void> {
  try {
    // The bytes first: what is forgotten is swept no more.
    await media.delete(messageId);
    await storage.media.forget(messageId);
  } catch (error) {
    logger.warn({ err: error, messageId }, 'a file could not be discarded, and is swept later');
  }
}

async function storeWithin(
  context: ServiceContext,
  content: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Result<Omit<StoredUpload, keyof FileType>>> {
  const { storage, media, clock, newId, crypto } = context;
  const now = clock.now();
  const messageId = newId('msg', now);
  const digest = crypto.createSha256();
  const counted = upTo(content, limit, (chunk) => digest.update(chunk));
  try {
    await storage.media.begin(messageId, now);
    const size = await media.put(messageId, counted.stream);
    return ok({ messageId, size, sha256: digest.hex() });
  } catch (error) {
    await giveUp(counted.stream);
    await discardUpload(context, { messageId });
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
