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
    // Once sent it is not the holder's any more: it may be the file of a message.
    async discard() {
      if (handles.delete(upload)) await discardUpload(context, stored);
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

/** Storing a file is a write of its own, which could wait for the caller's transaction while that waits for it. */
export function refuseStream(file: unknown): void {
  if (file instanceof Blob || file instanceof ReadableStream) {
    throw new TypeError(
      'send: with a transaction, a file has to be uploaded (messages.upload) before it begins.',
    );
  }
}

/** Once: a second send with the same handle would be about a file that belongs to the first one's message. */
function takeHandle(file: unknown): StoredUpload | undefined {
  const upload = file as Upload; // looked up by identity, whatever it is
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
  return unwrap(await storeUpload(context, content, type));
}
