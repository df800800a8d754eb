import { onTestFinished } from 'vitest';
import type { MediaStore } from '@trunkline/core';
import { s3MediaStore } from '../../src/index.ts';
import type { S3MediaStoreOptions } from '../../src/index.ts';
import { startFakeS3 } from '@trunkline/test-support/fake-s3';
import type { FakeS3 } from '@trunkline/test-support/fake-s3';

export const ID = 'msg_01jgfjjv00fsnvdjzy0jcm5xh8';
export const SECRETS = {
  accessKeyId: 'the-access-key-id',
  secretAccessKey: 'the-secret-access-key',
  sessionToken: 'the-session-token',
};

/** Short timeouts for a server that hangs, since waiting for it is pointless. */
export const HASTY: Partial<S3MediaStoreOptions> = { timeouts: { requestMs: 200, stallMs: 200 } };

export async function storeOnFake(
  options: Partial<S3MediaStoreOptions> = {},
): Promise<{ readonly s3: FakeS3; readonly store: MediaStore }> {
  const s3 = await startFakeS3();
  onTestFinished(() => s3.close());
  const store = s3MediaStore({
    endpoint: s3.endpoint,
    bucket: 'media',
    region: 'us-east-1',
    credentials: SECRETS,
    maxAttempts: 3,
    ...options,
  });
  return { s3, store };
}
