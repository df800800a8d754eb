export { s3MediaStore } from './s3-media-store.ts';
export type { S3Credentials, S3Encryption, S3MediaStoreOptions, S3Timeouts } from './options.ts';
export { S3Error } from './s3-error.ts';
