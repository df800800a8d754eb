import type { MediaDownload } from '@trunkline/core';
import { create as contentDisposition } from 'content-disposition';
import type { RouteResponse } from './route-response.ts';

/** The longest time without a read before a download is cut off. */
const UNREAD_MAX_MS = 60_000;

/**
 * A stored file as an attachment, so that browsers do not display it as one of our pages, whatever it contains. If a
 * browser displays the file anyway, the CSP denies it scripts and an origin. Any file name is safe in the header (RFC
 * 6266, RFC 8187).
 */
export async function downloadResponse(download: MediaDownload, request: Request): Promise<RouteResponse> {
  const { mimeType, filename, size, sha256 } = download;
  const etag = sha256 === null ? null : `"${sha256}"`;
  const isHead = request.method === 'HEAD';
  // Ranges apply to GET only (RFC 9110 section 14.2).
  const range = isHead ? null : readRange(request.headers, { size, etag });
  const headers = {
    'Content-Type': mimeType,
    'Content-Disposition': contentDisposition(filename, { type: 'attachment' }),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Accept-Ranges': 'bytes',
    'Content-Length': String(range ? range.end - range.start + 1 : size),
    ...(etag === null ? {} : { ETag: etag }),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` } : {}),
  };
  if (isHead) return { headers, body: null };
  const content = await download.open(range ?? undefined);
  return { ...(range ? { status: 206 } : {}), headers, body: attendedStream(content, UNREAD_MAX_MS) };
}

/** Both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a request asks for (RFC 9110 section 14.2); null for the whole file. The header is ignored, as the RFC
 * allows, if it is malformed, asks for several ranges or for one outside the file, or if `If-Range` names another
 * version of the file.
 */
export function readRange(
  headers: Headers,
  { size, etag }: { readonly size: number; readonly etag: string | null },
): ByteRange | null {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(headers.get('Range') ?? '');
  const ifRange = headers.get('If-Range');
  if (!match || (ifRange !== null && ifRange !== etag)) return null;
  const [, from = '', to = ''] = match;
  if (from === '')
    return to === '' || Number(to) === 0 || size === 0
      ? null
      : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : null;
}

/**
 * The content of `source`, read on demand. If the reader requests nothing for `ms`, the stream ends with an error and
 * cancels `source`, which may hold a file or a connection open.
 */
function attendedStream(source: ReadableStream<Uint8Array>, ms: number): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setTimeout(abandon, ms, controller);
      },
      async pull(controller) {
        clearTimeout(timer);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        timer = setTimeout(abandon, ms, controller);
      },
      async cancel(reason) {
        clearTimeout(timer);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );

  function abandon(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const reason = new Error(
      `The client took nothing of the download for ${ms} ms, so its connection is closed.`,
    );
    controller.error(reason);
    reader.cancel(reason).catch(() => undefined); // the stream already reports `reason`
  }
}
