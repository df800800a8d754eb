// The life of a file that is sent or received. Its content is noted in the storage and put into the media
// store. Then the content becomes the file of a message, in the transaction that stores the message, or is
// discarded. If the process dies in between, the content is swept a day later. A caller that uploads a file before it
// sends the message holds a handle in the meantime.
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import {
  LARGEST_MEDIA_SIZE,
  MEDIA_SIZE_MAX,
  checkBeginning,
  checkMimeType,
  mediaTooLarge,
  requestedMediaType,
} from '../../domain/message/media-rules.ts';
import { FILE_CAPABILITIES } from '../../domain/instance/instance.ts';
import type { Capability } from '../../domain/instance/instance.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import { ok } from '../../domain/result.ts';
import type { Refusal, Result } from '../../domain/result.ts';
import { invalid } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { checkSendable } from './check-sendable.ts';
import { inspectContent } from './content-inspector.ts';
import type { ContentInspector } from './content-inspector.ts';
import { DETECTION_BYTES, detectFileType, peek, typeOfSent } from './file-type.ts';
import type { DetectedType, FileDescription, FileType } from './file-type.ts';

/** The age at which an upload without a message counts as abandoned, as after a crash. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

/**
 * A stored file that is not part of a message yet, good for one send, or for sends in transactions until one
 * of them is committed. An unused upload is deleted after a day.
 */
export interface Upload {
  /** The type of the file, such as `image/jpeg`. */
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  /** The SHA-256 of the content; hex. */
  readonly sha256: string;
  /** Deletes the file, unless it was sent and may therefore belong to a message. */
  discard(): Promise<void>;
}

/** The durable content of a file. */
interface StoredContent {
  readonly contentId: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** A file with durable content that belongs to no message yet. */
export interface StoredUpload extends FileType, StoredContent, Pick<DetectedType, 'isAnimated'> {}

/** A stored file, before the type and name for its message are known. */
interface HeldUpload extends StoredContent {
  readonly detected: DetectedType;
  readonly described: FileDescription;
}

/** Null if a send request has no `file` field, `missing` if the field does not hold a usable file. */
export type SentFile = StoredUpload | 'missing' | null;

/** The files of unspent handles, by identity, so that a caller cannot forge a handle. */
const handles = new WeakMap<Upload, HeldUpload>();
/**
 * Handles that were given to a transaction of the caller, whose end is not reported. After a rollback, the
 * file can still be sent; after a commit, the file belongs to a message, and the storage refuses a second
 * use.
 */
const lent = new WeakSet<Upload>();

export async function openUpload(
  context: ServiceContext,
  content: ReadableStream<Uint8Array>,
  { type, ...described }: FileDescription & { readonly type: MediaType | null },
): Promise<Result<Upload>> {
  const held = await storeNew(context, { content, type, described });
  if (!held.ok) return held;
  const { mimeType, size, sha256 } = await sentUpload(held.value, { type });
  const upload: Upload = {
    mimeType,
    size,
    sha256,
    async discard() {
      if (!lent.has(upload) && handles.delete(upload)) await discardUpload(context, held.value);
    },
  };
  handles.set(upload, held.value);
  return ok(upload);
}

/**
 * Sends the message of a request with its file, which is stored first. If the file ends up without a message,
 * it is discarded, now or by the sweep.
 */
export async function sendWithFile<Sent extends { readonly replayed: boolean }>(
  context: ServiceContext,
  request: { readonly input: SendInput; readonly isJoined: boolean },
  send: (file: SentFile) => Promise<Result<Sent>>,
): Promise<Result<Sent>> {
  const file = await fileOf(context, request);
  if (!file.ok) return file;
  // If this throws, the message may or may not be stored. Keep its file, which a sweep deletes if no message
  // has it.
  const sent = await send(file.value);
  const isKept = sent.ok && !sent.value.replayed;
  // A transaction may hold the lock that releasing a file needs, so the file is left to the sweep.
  const staysStored = isKept || request.isJoined;
  if (!staysStored && file.value !== null && file.value !== 'missing')
    await discardUpload(context, file.value);
  return sent;
}

/** The unchecked input: `type` and `kind` may be any text, and `file` anything. */
interface SendInput {
  readonly type?: string | null | undefined;
  readonly kind?: string | null | undefined;
  readonly file?: unknown;
  readonly filename?: unknown;
}

/**
 * With `isJoined`, the send is part of the caller's transaction. The file must then be stored already,
 * because storing is a separate write, and that write and the transaction could wait for each other.
 */
async function fileOf(
  context: ServiceContext,
  { input, isJoined }: { readonly input: SendInput; readonly isJoined: boolean },
): Promise<Result<SentFile>> {
  if (!('file' in input)) return ok(null);
  const { file, filename } = input;
  // An unknown type gets the largest limit, and is refused later.
  const sent = {
    type: requestedMediaType(input),
    filename: typeof filename === 'string' && filename !== '' ? filename : null,
  };
  if (!(file instanceof Blob || file instanceof ReadableStream)) {
    const held = isJoined ? lendHandle(file) : takeHandle(file);
    return ok(held ? await sentUpload(held, sent) : 'missing');
  }
  if (isJoined) {
    throw new TypeError(
      'send: with a transaction, a file has to be uploaded (messages.upload) before it begins.',
    );
  }
  const described = { mimeType: file instanceof Blob ? file.type : null, filename: nameOf(file) };
  const content = file instanceof Blob ? file.stream() : file;
  const held = await storeNew(context, { content, type: sent.type, described });
  return held.ok ? ok(await sentUpload(held.value, sent)) : held;
}

function nameOf(file: object): string | null {
  return 'name' in file && typeof file.name === 'string' ? file.name : null;
}

/**
 * Returns a file with the type that it is sent with. Only the bytes decide the type of an image, an audio or a video.
 */
async function sentUpload(
  { detected, described, ...stored }: HeldUpload,
  { type, filename }: { readonly type: MediaType | null; readonly filename?: string | null },
): Promise<StoredUpload> {
  const isAny = type === null || type === 'document';
  const named = { ...described, filename: filename ?? described.filename };
  return { ...stored, ...(isAny ? await typeOfSent(detected, named) : detected) };
}

/** Spends a handle, because after the first send the file belongs to a message. */
function takeHandle(file: unknown): HeldUpload | undefined {
  const upload = file as Upload; // safe: only looked up, by identity
  if (lent.has(upload)) return undefined;
  const stored = handles.get(upload);
  handles.delete(upload);
  return stored;
}

function lendHandle(file: unknown): HeldUpload | undefined {
  const upload = file as Upload; // safe: only looked up, by identity
  const stored = handles.get(upload);
  if (stored) lent.add(upload);
  return stored;
}

async function storeNew(
  context: ServiceContext,
  { content, type, described }: Omit<UploadRequest, 'contentId'> & Pick<HeldUpload, 'described'>,
): Promise<Result<HeldUpload>> {
  const sendable = checkSendable(context, capabilitiesFor(type));
  if (!sendable.ok) {
    await content.cancel();
    return sendable;
  }
  const { first, whole } = await peek(content, 1);
  if (first.length === 0) return invalid({ file: ['Must not be empty.'] });
  const contentId = context.newId('upl', context.clock.now());
  const stored = await storeUpload(context, { content: whole, type, contentId });
  return stored.ok ? ok({ ...stored.value, described }) : stored;
}

/** The capabilities with any of which a file of this type can be sent; null if the type is not known. */
function capabilitiesFor(type: MediaType | null): readonly Capability[] {
  if (type === null) return FILE_CAPABILITIES;
  return type === 'image' ? [type, 'stickers'] : [type];
}

interface UploadRequest {
  readonly content: ReadableStream<Uint8Array>;
  /** The type of the message; null if it is not known. */
  readonly type: MediaType | null;
  readonly contentId: string;
}

/**
 * Stores a file as it streams in, so that it is never whole in memory. Checks its type and size and computes
 * its digest on the way. If the message's type is known, the limit and the MIME types of that type apply from the
 * start; if not, only the largest limit applies. Discards a file that is refused or breaks off.
 */
export async function storeUpload(
  context: ServiceContext,
  { content, type, contentId }: UploadRequest,
): Promise<Result<StoredContent & { readonly detected: DetectedType }>> {
  const { first, whole } = await peek(content, DETECTION_BYTES);
  const firstType = await detectFileType(first);
  const accepted = type === null ? ok(firstType.mimeType) : checkBeginning(type, firstType.mimeType);
  if (!accepted.ok) {
    await giveUp(whole);
    return accepted;
  }
  const limit = type === null ? LARGEST_MEDIA_SIZE : MEDIA_SIZE_MAX[type];
  const inspector = inspectContent(firstType, first);
  const stored = await storeWithin(context, { content: whole, contentId, limit, inspector });
  if (!stored.ok) return stored;
  const detected = await inspector.end();
  const suits = type === null ? ok(detected.mimeType) : checkMimeType(type, detected.mimeType);
  if (suits.ok) return ok({ ...stored.value, detected });
  await discardUpload(context, stored.value);
  return suits;
}

async function storeWithin(
  context: ServiceContext,
  {
    content,
    contentId,
    limit,
    inspector,
  }: Omit<UploadRequest, 'type'> & { readonly limit: number; readonly inspector: ContentInspector },
): Promise<Result<StoredContent>> {
  const { storage, mediaStore, clock, crypto } = context;
  const digest = crypto.createSha256();
  const counted = upTo(content, limit, async (chunk) => {
    digest.update(chunk);
    await inspector.write(chunk);
  });
  try {
    await storage.uploads.reserve(contentId, clock.now());
    const size = await mediaStore.put(contentId, counted.stream);
    return ok({ contentId, size, sha256: digest.hex() });
  } catch (error) {
    inspector.abort();
    await giveUp(counted.stream);
    await discardUpload(context, { contentId });
    // The store may have wrapped the refusal in another error.
    const refusal = counted.refusal();
    if (refusal) return { ok: false, refusal };
    throw error;
  }
}

/** Passes a stream on, but fails it after more than `limit` bytes. */
function upTo(
  content: ReadableStream<Uint8Array>,
  limit: number,
  seen: (chunk: Uint8Array) => Promise<void>,
): { readonly stream: ReadableStream<Uint8Array>; refusal(): Refusal | null } {
  let size = 0;
  let refusal: Refusal | null = null;
  const stream = content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) {
          refusal = mediaTooLarge(limit).refusal;
          throw new Error(refusal.message);
        }
        await seen(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  return { stream, refusal: () => refusal };
}

/** Cancels a stream. Ignores the rejection of a stream that has failed or is locked. */
async function giveUp(stream: ReadableStream<Uint8Array>): Promise<void> {
  await stream.cancel().catch(() => undefined);
}

/**
 * Deletes a file that will belong to no message. Never rejects, as its caller has something else to report. A
 * file that cannot be deleted now is swept later.
 */
export async function discardUpload(
  context: ServiceContext,
  { contentId }: Pick<StoredUpload, 'contentId'>,
): Promise<void> {
  try {
    await deleteFile(context, contentId);
  } catch (error) {
    context.logger.warn(
      { err: error, contentId },
      'a file that belongs to no message could not be deleted: it is deleted later by a process with the role maintenance; check the media store',
    );
  }
}

/**
 * Discards a file that was stored for a message, unless the message has the file. The write may have been
 * committed although its response was lost.
 */
export async function discardUnlessTaken(
  context: ServiceContext,
  { workspaceId, id }: Pick<Message, 'workspaceId' | 'id'>,
  upload: Pick<StoredUpload, 'contentId'>,
): Promise<void> {
  const stored = await context.storage.messages.find(workspaceId, id);
  const isTaken = stored?.media?.available === true && contentIdOf(stored) === upload.contentId;
  if (!isTaken) await discardUpload(context, upload);
}

/**
 * Deletes the files of all deleted messages, without waiting for the sweep. Stops with `left` at a file that
 * cannot be deleted, which stays noted and is swept later.
 */
export async function deleteAbandonedFiles(
  context: ServiceContext,
  {
    signal,
    onDeleted,
  }: { readonly signal: AbortSignal | undefined; readonly onDeleted: (count: number) => void },
): Promise<'deleted' | 'left'> {
  let count = 0;
  for (;;) {
    const contentIds = await context.storage.uploads.listAbandoned(OF_DELETED_MESSAGES, SWEPT_TOGETHER);
    if (contentIds.length === 0) return 'deleted';
    for (const contentId of contentIds) {
      signal?.throwIfAborted();
      try {
        await deleteFile(context, contentId);
      } catch (error) {
        context.logger.warn(
          { err: error, contentId },
          'the file of a deleted message could not be deleted: it is tried again by a process with the role maintenance; check the media store',
        );
        return 'left';
      }
      count += 1;
    }
    onDeleted(count);
  }
}

/**
 * Selects only the content of deleted messages, which counts as reserved at time 0; see
 * `ErasureStore.deleteMessages`.
 */
const OF_DELETED_MESSAGES = 1;
const SWEPT_TOGETHER = 100;

/** The number of files that cannot be deleted at which a sweep starts again from the first. */
const SKIPPED_MAX = 10_000;

/**
 * Creates a sweep, whose calls delete files that belong to nothing: abandoned uploads, and files of deleted instances.
 * A call deletes at most `limit` of each kind; `more` says whether others may be left. Calls skip the files that could
 * not be deleted until all other files have been tried, so that those are reached.
 */
export function createFileSweep(
  context: ServiceContext,
  limit: number,
): () => Promise<{ readonly more: boolean }> {
  const { storage, clock, logger } = context;
  const skipped = new Set<string>();
  return async () => {
    const listed = limit + skipped.size;
    const lists = [
      await storage.uploads.listAbandoned(clock.now() - ABANDONED_AFTER_MS, listed),
      await storage.uploads.listOrphaned(listed),
    ];
    const isEnd = lists.every((list) => list.length < listed);
    const batch = lists.flatMap((list) =>
      list.filter((contentId) => !skipped.has(contentId)).slice(0, limit),
    );
    let deleted = 0;
    for (const contentId of batch) {
      try {
        await deleteFile(context, contentId);
        deleted += 1;
      } catch (error) {
        // The other files must still be deleted.
        skipped.add(contentId);
        logger.error(
          { err: error, contentId },
          'a stored file that belongs to nothing could not be deleted: it is tried again later; check the media store',
        );
      }
    }
    if (isEnd || skipped.size >= SKIPPED_MAX) skipped.clear();
    // If no file could be deleted, the media store may be unreachable: the other files can wait.
    return { more: deleted > 0 && !isEnd };
  };
}

async function deleteFile({ mediaStore, storage }: ServiceContext, contentId: string): Promise<void> {
  // Delete the bytes first, because a released upload is never swept.
  await mediaStore.delete(contentId);
  await storage.uploads.release(contentId);
}
