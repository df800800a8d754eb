import type { S3Client } from './s3-client.ts';
import { S3Error } from './s3-error.ts';

/** The size of an object, in bytes; null if the object does not exist. */
export async function sizeOf(client: S3Client, key: string): Promise<number | null> {
  try {
    const { headers } = await client.call({ method: 'HEAD', key });
    const length = headers.get('Content-Length');
    if (length === null)
      throw new S3Error(
        'S3 did not send the size of a file: its response has no Content-Length. Check what is between here and S3.',
      );
    return Number(length);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  // The response to a HEAD has no code. In other responses, another code may mean that the bucket is missing.
  return error instanceof S3Error && error.status === 404 && (error.code ?? 'NoSuchKey') === 'NoSuchKey';
}
