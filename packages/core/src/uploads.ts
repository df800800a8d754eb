import { MEDIA_TYPES, asMediaType } from './domain/message/media-rules.ts';
import type { MediaType } from './domain/message/media-rules.ts';
import type { ServiceContext } from './services/context.ts';
import { discardUpload, storeUpload } from './services/media/store-upload.ts';
import type { StoredUpload } from './services/media/store-upload.ts';
import { unsupportedType } from './services/messages/check-send-input.ts';
import { unwrap } from './trunkline-error.ts';
import type { Upload } from './workspace-api.ts';

/** Behind each handle that is not spent yet; a caller cannot make one up. */
const handles = new WeakMap<Upload, StoredUpload>();
/**
 * Those that were given to a transaction of the caller's. When it ends nobody tells: rolled back, the file is still to be
 * sent; committed, it is the file of a message, which the storage knows and takes no second time.
 */
const lent = new WeakSet<Upload>();

/** Stores a file and gives out a handle for it. */
export async function openUpload(
  context: ServiceContext,
  content: ReadableStream<Uint8Array>,
  type: MediaType | null,
): Promise<Upload> {
  const stored = await store(context, content, type);
  const { mimeType, size, sha256 } = stored;
  const upload: Upload = {
    mimeType,
    size,
    sha256,
    async discard() {
      if (!lent.has(upload) && handles.delete(upload)) await discardUpload(context, stored);
    },
  };
  handles.set(upload, stored);
  return upload;
}

/**
 * The stored file of a send request with a file; `missing` where there is none. `type` is the message's as given: one
 * that is no type of media has no limits of its own, and is refused later.
 */
export async function takeFile(
  context: ServiceContext,
  { file, type }: { readonly file?: unknown; readonly type?: unknown },
): Promise<StoredUpload | 'missing'> {
  if (file instanceof Blob) return store(context, file.stream(), asMediaType(type));
  if (file instanceof ReadableStream) return store(context, file, asMediaType(type));
  return takeHandle(file) ?? 'missing';
}

/**
 * The same for a send in a transaction of the caller's. Storing a file is a write of its own, which could wait for that
 * transaction while it waits for the write: the file has to be there before.
 */
export function lendFile(file: unknown): StoredUpload | 'missing' {
  if (file instanceof Blob || file instanceof ReadableStream) {
    throw new TypeError(
      'send: with a transaction, a file has to be uploaded (messages.upload) before it begins.',
    );
  }
  const upload = file as Upload; // looked up by identity, whatever it is
  const stored = handles.get(upload);
  if (stored) lent.add(upload);
  return stored ?? 'missing';
}

/** Once: a second send with the same handle would be about a file that belongs to the first one's message. */
function takeHandle(file: unknown): StoredUpload | undefined {
  const upload = file as Upload; // looked up by identity, whatever it is
  if (lent.has(upload)) return undefined;
  const stored = handles.get(upload);
  handles.delete(upload);
  return stored;
}

async function store(
  context: ServiceContext,
  content: ReadableStream<Uint8Array>,
  type: MediaType | null,
): Promise<StoredUpload> {
  const possible = type === null ? MEDIA_TYPES : [type];
  if (!possible.some((one) => context.capabilities.includes(one))) {
    await content.cancel();
    unwrap(unsupportedType());
  }
  const contentId = context.newId('upl', context.clock.now());
  return unwrap(await storeUpload(context, { content, type, contentId }));
}
