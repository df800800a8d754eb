// Uploads many files concurrently and prints the memory they took, in bytes. Given the endpoint, how
// many files, and their size.
import { chunksOf } from '@trunkline/storage-contract/media-content';
import { s3MediaStore } from '../../../src/index.ts';

const [endpoint = '', count = '', size = ''] = process.argv.slice(2);
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const store = s3MediaStore({ endpoint, bucket: 'media', region: 'us-east-1', credentials });

// One first, so that what is loaded once is not taken for what an upload needs.
await store.put('first', chunksOf(6_000_000, 0));
const before = process.memoryUsage().rss;
await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    store.put(`file_${index}`, chunksOf(Number(size), index)),
  ),
);
// That is in KiB.
process.stdout.write(String(process.resourceUsage().maxRSS * 1024 - before));
