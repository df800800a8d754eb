import type { MediaStore } from '@trunkline/core';
import { s3MediaStore } from '@trunkline/media-s3';
import type { S3MediaStoreOptions } from '@trunkline/media-s3';
import { StartError } from './start-error.ts';

/** Files of media messages in a bucket, which any number of machines share. Throws a StartError when a variable is wrong. */
export function mediaFilesIn(options: S3MediaStoreOptions): MediaStore {
  try {
    return s3MediaStore(options);
  } catch (error) {
    throw new StartError(`S3_BUCKET and what belongs to it: ${error instanceof Error ? error.message : ''}`);
  }
}
