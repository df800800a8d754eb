import type { S3Client } from './s3-client.ts';
import { isS3Error, S3Error } from './s3-error.ts';
import { textsOf } from './xml.ts';

/**
 * Aborts the unfinished uploads of a key, including their parts. Such uploads are left by a process that died, or by a
 * lost response.
 */
export async function abortUploads(client: S3Client, key: string, maxAttempts?: number): Promise<void> {
  for (const uploadId of await openUploads(client, key, maxAttempts)) {
    try {
      await client.call({ method: 'DELETE', key, query: { uploadId } }, maxAttempts);
    } catch (error) {
      if (!isS3Error(error, 'NoSuchUpload')) throw error;
    }
  }
}

async function openUploads(
  client: S3Client,
  key: string,
  maxAttempts: number | undefined,
): Promise<readonly string[]> {
  try {
    const { text } = await client.call({ method: 'GET', query: { uploads: '', prefix: key } }, maxAttempts);
    const keys = textsOf(text, 'Key');
    return textsOf(text, 'UploadId').filter((_, index) => keys[index] === key);
  } catch (error) {
    // Some servers cannot list uploads, and have to end them by their own rules.
    if (error instanceof S3Error && (error.status === 501 || error.status === 405)) return [];
    throw error;
  }
}
