import { checkMediaId } from '@trunkline/core/spi/storage';
import type { MediaPageRequest, MediaStore } from '@trunkline/core/spi/storage';
import { beginMultipartUpload, tagOf } from './multipart-upload.ts';
import type { MultipartUpload } from './multipart-upload.ts';
import { isMissing, sizeOf } from './object-size.ts';
import { checkOptions } from './options.ts';
import type { S3MediaStoreOptions } from './options.ts';
import { partsOf } from './parts.ts';
import { listObjects } from './list-objects.ts';
import { createS3Client } from './s3-client.ts';
import { S3Error } from './s3-error.ts';
import { abortUploads } from './unfinished-uploads.ts';

/**
 * Keeps media in an S3 bucket, each file as one object named after its id. A file is sent in parts as it arrives, with
 * one part in memory; the object exists only when it is complete. Any number of processes can share the bucket.
 *
 * Throws a TypeError if an option is wrong. Calls reject with an S3Error if S3 fails, and with a TypeError if an id is
 * wrong.
 *
 * @example s3MediaStore({ bucket: 'media', region: 'eu-central-1', credentials: { accessKeyId, secretAccessKey } })
 */
export function s3MediaStore(options: S3MediaStoreOptions): MediaStore {
  const checked = checkOptions(options);
  const { prefix, partSize, objectHeaders } = checked;
  const client = createS3Client(checked);
  const keyOf = (id: string): string => prefix + checkMediaId(id);

  const upload = async (key: string, content: ReadableStream<Uint8Array>): Promise<number> => {
    let multipart: MultipartUpload | null = null;
    let size = 0;
    try {
      for await (const { bytes, isLast } of partsOf(content, partSize)) {
        size += bytes.byteLength;
        if (isLast && multipart === null) {
          tagOf(await client.call({ method: 'PUT', key, headers: objectHeaders, body: bytes }));
        } else {
          multipart ??= await beginMultipartUpload(client, key, objectHeaders);
          await multipart.add(bytes);
        }
      }
      await multipart?.complete();
      return size;
    } catch (error) {
      await multipart?.abort().catch(() => undefined);
      throw error;
    }
  };

  const remove = async (key: string, maxAttempts?: number): Promise<void> => {
    await client.call({ method: 'DELETE', key }, maxAttempts);
    await abortUploads(client, key, maxAttempts);
  };

  return {
    async put(id, content) {
      const key = keyOf(id);
      try {
        return await upload(key, content);
      } catch (error) {
        // If S3 fails here, too, a later delete removes the file. Report the first error without delay.
        await remove(key, 1).catch(() => undefined);
        throw error;
      }
    },
    size: async (id) => sizeOf(client, keyOf(id)),
    async get(id, range) {
      const headers = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      try {
        const { status, content } = await client.open({ method: 'GET', key: keyOf(id), headers });
        if (!range || status === 206) return content;
        await content.cancel();
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
      throw new S3Error(
        'S3 sent a whole file instead of a range of it. Check the endpoint, and the proxies in between: they must support Range.',
      );
    },
    delete: async (id) => remove(keyOf(id)),
    ...(options.exclusive === true && {
      list: ({ after, limit }: MediaPageRequest) => listObjects(client, { prefix, after, limit }),
    }),
  };
}
