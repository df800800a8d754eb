import { sizeOf } from './object-size.ts';
import type { S3Response, S3Client } from './s3-client.ts';
import { isS3Error, S3Error } from './s3-error.ts';
import { escaped, textOf } from './xml.ts';

export interface MultipartUpload {
  /** Adds the next part. The object has its parts in the order of the calls. */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}

export async function beginMultipartUpload(
  client: S3Client,
  key: string,
  headers: Readonly<Record<string, string>>,
): Promise<MultipartUpload> {
  const begun = await client.call({ method: 'POST', key, query: { uploads: '' }, headers });
  const uploadId = textOf(begun.text, 'UploadId');
  if (uploadId === null) throw notFromS3();
  const tags: string[] = [];
  let size = 0;

  return {
    async add(bytes) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      tags.push(tagOf(await client.call({ method: 'PUT', key, query, body: bytes })));
      size += bytes.byteLength;
    },
    async complete() {
      const body = new TextEncoder().encode(completion(tags));
      try {
        const { text } = await client.call({ method: 'POST', key, query: { uploadId }, body });
        if (textOf(text, 'ETag') === null) throw notFromS3();
      } catch (error) {
        // If an earlier attempt completed the upload but its response was lost, S3 no longer knows the upload.
        const isDone = isS3Error(error, 'NoSuchUpload') && (await sizeOf(client, key)) === size;
        if (!isDone) throw error;
      }
    },
    async abort() {
      await client.call({ method: 'DELETE', key, query: { uploadId } }, 1);
    },
  };
}

/**
 * The ETag that S3 returned for the stored bytes. Throws if the response is not from S3, for example a proxy's page.
 */
export function tagOf({ headers }: S3Response): string {
  const tag = headers.get('ETag');
  if (tag === null) throw notFromS3();
  return tag;
}

function notFromS3(): S3Error {
  return new S3Error(
    'The response to an upload is not from S3, so the file is not stored. Check the endpoint, and the proxies in between.',
  );
}

function completion(tags: readonly string[]): string {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}
