import { sizeOf } from './object-size.ts';
import type { S3Client } from './s3-client.ts';
import { isS3Error, S3Error } from './s3-error.ts';
import { escaped, textOf } from './xml.ts';

export interface MultipartUpload {
  /** In order, from the first one on. */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Makes the object of all parts. */
  complete(): Promise<void>;
  /** Gives up what was added. */
  abort(): Promise<void>;
}

export async function beginMultipartUpload(
  client: S3Client,
  key: string,
  headers: Readonly<Record<string, string>>,
): Promise<MultipartUpload> {
  const begun = await client.call({ method: 'POST', key, query: { uploads: '' }, headers });
  const uploadId = textOf(begun.text, 'UploadId');
  if (uploadId === null) throw new S3Error('S3 began an upload and did not tell its id.');
  const tags: string[] = [];
  let size = 0;

  return {
    async add(bytes) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers: answered } = await client.call({ method: 'PUT', key, query, body: bytes });
      const tag = answered.get('ETag');
      if (tag === null) throw new S3Error('S3 took a part and did not tell its ETag.');
      tags.push(tag);
      size += bytes.byteLength;
    },
    async complete() {
      const body = new TextEncoder().encode(completion(tags));
      try {
        await client.call({ method: 'POST', key, query: { uploadId }, body });
      } catch (error) {
        // An answer may have been lost: where this took place on another attempt, the upload is not known any more.
        const isDone = isS3Error(error, 'NoSuchUpload') && (await sizeOf(client, key)) === size;
        if (!isDone) throw error;
      }
    },
    async abort() {
      await client.call({ method: 'DELETE', key, query: { uploadId } }, 1);
    },
  };
}

function completion(tags: readonly string[]): string {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}
