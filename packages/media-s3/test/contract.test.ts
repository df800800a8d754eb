import { afterAll, beforeAll } from 'vitest';
import { describeMediaStoreContract } from '@trunkline/storage-contract';
import { s3MediaStore } from '../src/index.ts';
import { startFakeS3 } from '@trunkline/test-support/fake-s3';
import { BUCKET, CREDENTIALS, startRealS3 } from './support/real-s3.ts';
import type { RealS3 } from './support/real-s3.ts';

let real: RealS3;
beforeAll(async () => {
  real = await startRealS3();
});
afterAll(() => real.close());
let places = 0;

describeMediaStoreContract({
  name: 'S3 (s3rver)',
  hasNoFirstByte: true,
  async createPlace() {
    const prefix = `place-${(places += 1)}/`;
    const { endpoint } = real;
    return {
      connect: () =>
        s3MediaStore({
          endpoint,
          bucket: BUCKET,
          region: 'us-east-1',
          credentials: CREDENTIALS,
          prefix,
          exclusive: true,
        }),
      // Ignores unfinished uploads, which this server can neither list nor abort.
      kept: async () =>
        (await real.keys()).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
      async dispose() {},
    };
  },
});

describeMediaStoreContract({
  name: 'S3 (in memory)',
  async createPlace() {
    const { endpoint, objects, unfinished, close } = await startFakeS3();
    return {
      connect: () =>
        s3MediaStore({
          endpoint,
          bucket: BUCKET,
          region: 'us-east-1',
          credentials: CREDENTIALS,
          exclusive: true,
        }),
      kept: async () => [...objects.keys(), ...unfinished()],
      dispose: close,
    };
  },
});
