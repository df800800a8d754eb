// Uploads many files concurrently and prints the most memory that was in use meanwhile, in bytes. Given the endpoint,
// how many files, and their size. Runs with --expose-gc: only what a collection leaves is counted, since how soon memory
// is collected depends on how busy the machine is.
import { chunksOf } from '@trunkline/storage-contract/media-content';
import { s3MediaStore } from '../../../src/index.ts';

const SAMPLE_EVERY_BYTES = 8_388_608;

const [endpoint = '', count = '', size = ''] = process.argv.slice(2);
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const store = s3MediaStore({ endpoint, bucket: 'media', region: 'us-east-1', credentials });

// One first, so that what is loaded once is not taken for what an upload needs.
await store.put('first', chunksOf(6_000_000, 0));
const before = memoryInUse();
let most = before;
let read = 0;
let sampledAt = 0;
await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    store.put(`file_${index}`, chunksOf(Number(size), index, sample)),
  ),
);
process.stdout.write(String(most - before));

function sample({ byteLength }: Uint8Array): void {
  read += byteLength;
  if (read - sampledAt < SAMPLE_EVERY_BYTES) return;
  sampledAt = read;
  most = Math.max(most, memoryInUse());
}

function memoryInUse(): number {
  if (!globalThis.gc) throw new Error('Run this with --expose-gc.');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
