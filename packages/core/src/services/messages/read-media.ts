import { contentIdOf } from '../../domain/message/message.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { findMessage } from './find-message.ts';

/** A stored file on its way out. */
export interface MediaDownload {
  readonly mimeType: string;
  readonly filename: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string | null;
  /** Opens the content, or an inclusive range of it. */
  open(range?: { readonly start: number; readonly end: number }): Promise<ReadableStream<Uint8Array>>;
}

export async function readMedia(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<MediaDownload>> {
  const found = await findMessage(context, workspaceId, id);
  if (!found.ok) return found;
  const { media } = found.value;
  const contentId = contentIdOf(found.value);
  const size = media?.available ? await context.media.size(contentId) : null;
  if (!media || size === null) return notAvailable();
  const { mimeType, filename, sha256 } = media;
  return ok({
    mimeType,
    filename,
    size,
    sha256,
    open: async (range) => {
      const content = await context.media.get(contentId, range);
      if (!content) throw new Error(`The file of ${id} is gone.`);
      return content;
    },
  });
}

function notAvailable(): ReturnType<typeof refuse> {
  return refuse('MEDIA_NOT_AVAILABLE', 'There is no stored file of this message.');
}
