import { create as contentDisposition } from 'content-disposition';
import type { MediaDownload } from '@trunkline/core';
import type { Answer } from './answer.ts';
import { attendedStream } from './attended-stream.ts';
import { readRange } from './byte-range.ts';

/** How long a client may take nothing of a download. */
const UNREAD_MAX_MS = 60_000;

/**
 * A stored file as an attachment: never shown by a browser as a page of ours, whatever is in it, and without scripts and
 * an origin should one show it all the same. The name is written so that any is safe (RFC 6266, RFC 8187).
 */
export async function downloadAnswer(download: MediaDownload, request: Request): Promise<Answer> {
  const { mimeType, filename, size, sha256 } = download;
  const etag = sha256 === null ? null : `"${sha256}"`;
  const isHead = request.method === 'HEAD';
  // Ranges are of GET alone (RFC 9110 section 14.2).
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
