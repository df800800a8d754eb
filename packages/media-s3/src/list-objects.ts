import type { MediaPage, MediaPageRequest } from '@trunkline/core/spi/storage';
import type { S3Client } from './s3-client.ts';
import { textOf, textsOf } from './xml.ts';

/** The most objects that S3 lists in one response. */
const LARGEST_PAGE = 1_000;

/**
 * Lists a page of the ids of the objects with this prefix. Unfinished uploads are not objects, and are left to the
 * bucket's lifecycle rules.
 */
export async function listObjects(
  client: S3Client,
  { prefix, after, limit }: MediaPageRequest & { readonly prefix: string },
): Promise<MediaPage> {
  const { text } = await client.call({
    method: 'GET',
    // ListObjects version 1, which every server supports and whose cursor is a key.
    query: {
      'max-keys': String(Math.min(limit, LARGEST_PAGE)),
      ...(prefix !== '' && { prefix }),
      ...(after !== null && { marker: prefix + after }),
    },
  });
  const ids = textsOf(text, 'Key').map((key) => key.slice(prefix.length));
  const isEnd = textOf(text, 'IsTruncated') !== 'true';
  return { ids: ids.filter((id) => MEDIA_ID.test(id)), next: isEnd ? null : (ids.at(-1) ?? null) };
}

/** Objects with other names do not belong to the store. */
const MEDIA_ID = /^\w{3,64}$/;
