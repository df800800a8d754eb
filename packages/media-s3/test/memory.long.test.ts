import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { respondXml, readBody } from '@trunkline/test-support/fake-s3-responses';
import { startFakeS3 } from '@trunkline/test-support/fake-s3';

const MIB = 1_048_576;
const UPLOADS = Number(process.env['MEDIA_UPLOADS'] ?? 6);
const FILE_BYTES = Number(process.env['MEDIA_MB'] ?? 64) * MIB;
/**
 * The memory limit in bytes. Each upload needs a part of 5 MiB, two copies of the part in the request, and the
 * connection's buffers.
 */
const LIMIT = (UPLOADS * 20 + 20) * MIB;

it(
  `uploads ${UPLOADS} files concurrently in the memory of a few parts each`,
  { timeout: 300_000 },
  async () => {
    const s3 = await startFakeS3();
    onTestFinished(() => s3.close());
    let received = 0;
    s3.disturb(async ({ operation }, { incoming, outgoing }) => {
      // Discard the parts, so that they take no memory.
      if (operation !== 'UploadPart' && operation !== 'CompleteMultipartUpload') return undefined;
      const body = await readBody(incoming);
      if (operation === 'CompleteMultipartUpload') respondXml(outgoing, '<ETag>whole</ETag>');
      else outgoing.writeHead(200, { ETag: '"part"' }).end(() => (received += body.length));
      return 'handled';
    });

    const program = new URL('support/programs/upload-many.ts', import.meta.url).pathname;
    const given = [
      '--expose-gc',
      '--conditions=source',
      program,
      s3.endpoint,
      String(UPLOADS),
      String(FILE_BYTES),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, given);

    expect(received).toBe(6_000_000 + UPLOADS * FILE_BYTES);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(Number(stdout)).toBeLessThan(LIMIT);
  },
);
