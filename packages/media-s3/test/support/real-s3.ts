import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

export const BUCKET = 'media';
/** The only credentials that this server accepts. */
export const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface RealS3 {
  readonly endpoint: string;
  keys(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A third-party server that stores files, and checks signatures and the parts of an object. */
export async function startRealS3(): Promise<RealS3> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async keys() {
      const suffix = '._S3rver_object';
      const names = await readdir(join(directory, BUCKET), { recursive: true });
      return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
