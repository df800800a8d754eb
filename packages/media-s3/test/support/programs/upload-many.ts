// Uploads many files concurrently and prints the peak memory in use, in bytes. Arguments: the endpoint, the number of
// files, and their size. Runs with --expose-gc to count only memory left after a collection, because the machine's load
// affects when collections happen.
import { chunksOf } from '@trunkline/storage-contract/media-content';
import { s3MediaStore } from '../../../src/index.ts';

const SAMPLE_EVERY_BYTES = 8_388_608;

const [endpoint = '', count = '', size = ''] = process.argv.slice(2);
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const store = s3MediaStore({ endpoint, bucket: 'media', region: 'us-east-1', credentials });

// Upload one file first, so that one-time allocations do not count.
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
