import type { MediaStore } from '@trunkline/core';
import { s3MediaStore } from '@trunkline/media-s3';
import type { S3MediaStoreOptions } from '@trunkline/media-s3';
import { reasonOf, StartError } from '../errors/start-error.ts';

/** The variable that sets each option of the store. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['bucket', 'S3_BUCKET'],
  ['region', 'S3_REGION'],
  ['endpoint', 'S3_ENDPOINT'],
  ['prefix', 'S3_PREFIX'],
  ['credentials.accessKeyId', 'S3_KEY_ID'],
  ['credentials.secretAccessKey', 'S3_SECRET_KEY'],
]);

/**
 * Opens the store of media files in a bucket, which any number of machines can share. Throws a StartError if a variable
 * is wrong.
 */
export function mediaFilesIn(options: S3MediaStoreOptions): MediaStore {
  try {
    return s3MediaStore(options);
  } catch (error) {
    const reason = reasonOf(error);
    const option = /the option "([\w.]+)"/.exec(reason)?.[1] ?? '';
    throw new StartError(`${VARIABLES.get(option) ?? 'S3_BUCKET'} is wrong: ${reason}`);
  }
}
