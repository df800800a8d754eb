// The life of a file that is sent or received. Its content is noted in the storage and put into the media store; then it
// is the file of a message (which the transaction that stores the message decides), discarded, or, where a process died
// in between, swept a day later. What a caller has of it until then is a handle.
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import {
  LARGEST_MEDIA_SIZE,
  MEDIA_SIZE_MAX,
  MEDIA_TYPES,
  asMediaType,
  checkBeginning,
  checkMimeType,
  mediaTooLarge,
} from '../../domain/message/media-rules.ts';
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

/** An upload that has not become a message after this time never will: its process has died. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

/**
 * A stored file that is not part of a message yet: good for one send, or for sends in transactions until one of them is
 * committed. One that is left alone is deleted after a day.
 */
export interface Upload {
  readonly mimeType: string;
  readonly size: number;
  readonly sha256: string;
  /** Does nothing once it was sent: it may be the file of a message. */
  discard(): Promise<void>;
}

/** The content of a file that is durable. */
interface StoredContent {
  /** What the media store keeps it under. */
  readonly contentId: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** A file whose content is durable, and that belongs to no message yet. */
export interface StoredUpload extends FileType, StoredContent {}

/** A file before it is known with which type and under which name it is sent. */
interface HeldUpload extends StoredContent {
  readonly detected: DetectedType;
  readonly described: FileDescription;
}

/** Null where a send request is not one that could have a file, `missing` where it could and has none. */
export type SentFile = StoredUpload | 'missing' | null;

/** Behind each handle that is not spent yet; a caller cannot make one up. */
const handles = new WeakMap<Upload, HeldUpload>();
/**
 * Those that were given to a transaction of the caller's. When it ends nobody reports it: rolled back, the file is still
 * to be sent; committed, it is the file of a message, which the storage knows and takes no second time.
 */
const lent = new WeakSet<Upload>();

/** Stores a file and gives out a handle for it. */
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
 * Sends the message of a request with its file, which is stored first. Where that leaves the file without a message it
 * is discarded.
 */
export async function sendWithFile<Sent extends { readonly replayed: boolean }>(
  context: ServiceContext,
  request: { readonly input: SendInput; readonly isJoined: boolean },
  send: (file: SentFile) => Promise<Result<Sent>>,
): Promise<Result<Sent>> {
  const file = await fileOf(context, request);
  if (!file.ok) return file;
  // Where this throws, nobody knows whether the message is stored: its file stays, and is swept if it is not.
  const sent = await send(file.value);
  const isKept = sent.ok && !sent.value.replayed;
  // A transaction may hold the lock that forgetting a file needs: the file is left to be swept.
  const staysStored = isKept || request.isJoined;
  if (!staysStored && file.value !== null && file.value !== 'missing')
    await discardUpload(context, file.value);
  return sent;
}

/** As given: `type` may be no type of media, and `file` anything. */
interface SendInput {
  readonly type: string;
  readonly file?: unknown;
  readonly filename?: unknown;
}

/**
 * `isJoined` is a send in a transaction of the caller's. Storing a file is a write of its own, which could wait for that
 * transaction while it waits for the write: the file has to be there before.
 */
async function fileOf(
  context: ServiceContext,
  { input, isJoined }: { readonly input: SendInput; readonly isJoined: boolean },
): Promise<Result<SentFile>> {
  if (!('file' in input)) return ok(null);
  const { file, filename } = input;
  // One that is no type of media has no limits of its own, and is refused later.
  const sent = {
    type: asMediaType(input.type),
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

/** A file as it is sent. What may be sent as a picture or a recording is decided by the bytes alone. */
async function sentUpload(
  { detected, described, ...stored }: HeldUpload,
  { type, filename }: { readonly type: MediaType | null; readonly filename?: string | null },
): Promise<StoredUpload> {
  const isAny = type === null || type === 'document';
  const named = { ...described, filename: filename ?? described.filename };
  return { ...stored, ...(isAny ? await typeOfSent(detected, named) : detected) };
}

/** Once: a second send with the same handle would be about a file that belongs to the first one's message. */
function takeHandle(file: unknown): HeldUpload | undefined {
  const upload = file as Upload; // looked up by identity, whatever it is
  if (lent.has(upload)) return undefined;
  const stored = handles.get(upload);
  handles.delete(upload);
  return stored;
}

function lendHandle(file: unknown): HeldUpload | undefined {
  const upload = file as Upload; // looked up by identity, whatever it is
  const stored = handles.get(upload);
  if (stored) lent.add(upload);
  return stored;
}

async function storeNew(
  context: ServiceContext,
  { content, type, described }: Omit<UploadRequest, 'contentId'> & Pick<HeldUpload, 'described'>,
): Promise<Result<HeldUpload>> {
  const sendable = checkSendable(context, type === null ? MEDIA_TYPES : [type]);
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

/** What is to be stored, and how. */
interface UploadRequest {
  readonly content: ReadableStream<Uint8Array>;
  /** Of the message, if it is known. */
  readonly type: MediaType | null;
  /** What to keep it under. */
  readonly contentId: string;
}

/**
 * Stores a file as it streams in: type, limit and digest on the way, never whole in memory. If the message's type is
 * known, its limit and types hold from the start, else the largest limit. A file that is refused or breaks off leaves
 * nothing behind.
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

/** Signals to the sender that no more is wanted. One that has failed, or that is being read, need not know. */
async function giveUp(stream: ReadableStream<Uint8Array>): Promise<void> {
  await stream.cancel().catch(() => undefined);
}

/**
 * Deletes a file that will belong to no message. Never rejects, as its caller has something else to report: what cannot
 * be deleted now is swept later.
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
 * Discards what was stored for a message that did not take it. Keeps it if the message has it all the same: the write
 * that gave it to the message was committed, and its answer lost.
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
 * Deletes the files of messages that were deleted, all of them, without waiting for the sweep. `left` if one could not be
 * deleted: it stays noted, and is swept later.
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

/** Content of deleted messages counts as abandoned since the beginning of time; see `ErasureStore.deleteMessages`. */
const OF_DELETED_MESSAGES = 1;
const SWEPT_TOGETHER = 100;

/**
 * Deletes files that belong to nothing: uploads that were broken off, and files of deleted instances. At most `limit` of
 * each kind; `more` says that there may be others.
 */
export async function sweepFiles(
  context: ServiceContext,
  limit: number,
): Promise<{ readonly deleted: number; readonly more: boolean }> {
  const { storage, clock, logger } = context;
  const batches = [
    await storage.uploads.listAbandoned(clock.now() - ABANDONED_AFTER_MS, limit),
    await storage.uploads.listOrphaned(limit),
  ];
  let deleted = 0;
  for (const contentId of batches.flat()) {
    try {
      await deleteFile(context, contentId);
      deleted += 1;
    } catch (error) {
      // It must not keep the others.
      logger.error(
        { err: error, contentId },
        'a stored file that belongs to nothing could not be deleted: it is tried again later; check the media store',
      );
    }
  }
  // One that cannot be deleted comes first again: not immediately.
  return { deleted, more: deleted > 0 && batches.some((batch) => batch.length === limit) };
}

async function deleteFile({ mediaStore, storage }: ServiceContext, contentId: string): Promise<void> {
  // The bytes first: what is forgotten is swept no more.
  await mediaStore.delete(contentId);
  await storage.uploads.release(contentId);
}
