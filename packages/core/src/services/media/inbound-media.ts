import { mediaFilename } from '../../domain/message/media-filename.ts';
import { registeredMimeType } from '../../domain/message/media-rules.ts';
import type { MediaType } from '../../domain/message/media-rules.ts';
import type { Message, MessageMedia } from '../../domain/message/message.ts';
import type { IncomingFile } from '../../ports/gateway.ts';
import type { StoredUpload } from './uploads.ts';

/** Returns the media fields of a message that arrives. `upload` is null if its file has not come. */
export function inboundMedia(
  { messageId, type }: { readonly messageId: string; readonly type: MediaType },
  file: Pick<IncomingFile, 'mimeType' | 'filename'>,
  upload: StoredUpload | null,
): MessageMedia {
  const { mimeType, extension } = upload ?? {
    mimeType: registeredMimeType(file.mimeType),
    extension: 'bin',
  };
  return {
    available: upload !== null,
    mimeType,
    size: upload?.size ?? null,
    filename: mediaFilename(file.filename, { type, messageId, extension }),
    sha256: upload?.sha256 ?? null,
  };
}

/**
 * Returns the media fields once a late file has come. Only then does a generated name get the right
 * extension.
 */
export function completedMedia(
  { id: messageId }: Pick<Message, 'id'>,
  { type, media }: { readonly type: MediaType; readonly media: MessageMedia },
  upload: StoredUpload,
): MessageMedia {
  const named = { messageId, type };
  const madeUp = inboundMedia(named, { mimeType: media.mimeType, filename: null }, null).filename;
  const filename = media.filename === madeUp ? null : media.filename;
  const own = inboundMedia(named, { mimeType: media.mimeType, filename }, upload);
  return upload.contentId === messageId ? own : { ...own, uploadId: upload.contentId };
}
