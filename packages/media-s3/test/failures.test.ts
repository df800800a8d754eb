import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chunksOf, streamOf } from '@trunkline/storage-contract/media-content';
import { eventually, until } from '@trunkline/test-support';
import { S3Error } from '../src/index.ts';
import { respondError, respondXml, readBody } from '@trunkline/test-support/fake-s3-responses';
import type { Disturbance, FakeS3 } from '@trunkline/test-support/fake-s3';
import { isLongForm } from '@trunkline/test-support/long-form';
import { HASTY, ID, SECRETS, storeOnFake } from './support/store-on-fake.ts';

const MIB = 1_048_576;
const HANDLED = 'handled' as const;
const text = (content: ReadableStream<Uint8Array> | null): Promise<string> => new Response(content).text();

/** Disturbs every request of this operation, or only the first `times` of them. */
function on(operation: string, disturbance: Disturbance, times = Number.POSITIVE_INFINITY): Disturbance {
  let left = times;
  return (request, wire) => {
    if (request.operation !== operation || left <= 0) return undefined;
    left -= 1;
    return disturbance(request, wire);
  };
}

const refuse =
  (status: number, code: string): Disturbance =>
  async (_, { incoming, outgoing }) => {
    await readBody(incoming);
    respondError(outgoing, status, code);
    return HANDLED;
  };
const hang: Disturbance = () => HANDLED;
const reset: Disturbance = (_, { incoming }) => {
  incoming.socket.resetAndDestroy();
  return HANDLED;
};

const tries = (s3: FakeS3, operation: string): number =>
  s3.requests.filter((request) => request.operation === operation).length;

const OPERATIONS = [
  'UploadPart',
  'GetObject',
  'CreateMultipartUpload',
  'CompleteMultipartUpload',
  'HeadObject',
  'DeleteObject',
];

describe('a failure of S3 that passes', () => {
  const PASSING: readonly (readonly [string, Disturbance])[] = [
    ['SlowDown', refuse(503, 'SlowDown')],
    ['an internal error', refuse(500, 'InternalError')],
    ['a reset', reset],
  ];

  it.each(isLongForm ? PASSING : PASSING.slice(0, 1))('is retried: %s', async (_, disturbance) => {
    const { s3, store } = await storeOnFake();
    for (const operation of isLongForm ? OPERATIONS : OPERATIONS.slice(0, 2)) {
      s3.disturb(on(operation, disturbance, 1));
      expect(await store.put(ID, chunksOf(6 * MIB, 1))).toBe(6 * MIB);
      expect(await store.size(ID)).toBe(6 * MIB);
      expect((await new Response(await store.get(ID)).bytes()).length).toBe(6 * MIB);
      await store.delete(ID);
      expect([...s3.objects.keys(), ...s3.unfinished()]).toEqual([]);
    }
  });

  it('is retried if there was no response', async () => {
    const { s3, store } = await storeOnFake({ timeouts: { requestMs: 1_000 } });
    s3.disturb(on('PutObject', hang, 1));
    expect(await store.put(ID, streamOf('x'))).toBe(1);
    expect(tries(s3, 'PutObject')).toBe(2);
  });

  it('is retried if a part was too slow for S3', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(on('UploadPart', refuse(400, 'RequestTimeout'), 1));
    expect(await store.put(ID, chunksOf(6 * MIB, 1))).toBe(6 * MIB);
    expect(tries(s3, 'UploadPart')).toBe(3);
  });

  it.runIf(isLongForm)('is given up after the maximum of attempts, and leaves nothing', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(on('UploadPart', refuse(503, 'SlowDown')));
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toMatchObject({
      name: 'S3Error',
      status: 503,
      code: 'SlowDown',
    });
    expect(tries(s3, 'UploadPart')).toBe(3);
    expect(s3.unfinished()).toEqual([]);
  });

  it('differs from a refusal, which is reported immediately', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(on('PutObject', refuse(403, 'AccessDenied')));
    await expect(store.put(ID, streamOf('x'))).rejects.toThrow(
      'S3 refused a PUT: 403 AccessDenied. Check the credentials',
    );
    expect(tries(s3, 'PutObject')).toBe(1);
  });
});

describe('an upload', () => {
  it('fails if S3 refuses to complete it in a response that began as 200', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(
      on('CompleteMultipartUpload', async (_, { incoming, outgoing }) => {
        await readBody(incoming);
        outgoing.writeHead(200);
        outgoing.write('<?xml version="1.0" encoding="UTF-8"?>\n   ');
        outgoing.end('<Error><Code>InvalidPart</Code></Error>');
        return HANDLED;
      }),
    );
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toMatchObject({ code: 'InvalidPart' });
    expect([await store.size(ID), s3.unfinished()]).toEqual([null, []]);
  });

  it('is complete even if the response to its completion was lost', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(
      on(
        'CompleteMultipartUpload',
        (_, { outgoing }) => {
          // S3 carries out the request, but the response is lost.
          outgoing.writeHead = () => outgoing;
          outgoing.end = () => outgoing.destroy();
          return undefined;
        },
        1,
      ),
    );
    expect(await store.put(ID, chunksOf(6 * MIB, 1))).toBe(6 * MIB);
    expect(tries(s3, 'CompleteMultipartUpload')).toBe(2);
    expect(await store.size(ID)).toBe(6 * MIB);
  });

  it('leaves nothing if it fails after the response to its beginning was lost', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(
      on('CreateMultipartUpload', (_, { outgoing }) => {
        outgoing.writeHead = () => outgoing;
        outgoing.end = () => outgoing.destroy();
        return undefined;
      }),
    );
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow(S3Error);
    expect(tries(s3, 'CreateMultipartUpload')).toBe(3);
    expect(s3.unfinished()).toEqual([]);
  });

  it('ends its source when S3 fails', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(on('UploadPart', refuse(403, 'AccessDenied')));
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => void (cancelled = true),
    });
    await expect(store.put(ID, endless)).rejects.toThrow('AccessDenied');
    expect(cancelled).toBe(true);
  });

  it.runIf(isLongForm)('is ended with its file if its process died, and no other is', async () => {
    const { s3, store } = await storeOnFake();
    for (const id of [ID, ID, `${ID}_longer`]) {
      const signal = Promise.withResolvers<void>();
      s3.disturb(on('UploadPart', () => (signal.resolve(), HANDLED)));
      // This upload never settles, as after a kill.
      store.put(id, chunksOf(6 * MIB, 1)).catch(() => undefined);
      await signal.promise;
    }
    expect(s3.unfinished()).toEqual([ID, ID, `${ID}_longer`]);
    await store.delete(ID);
    expect(s3.unfinished()).toEqual([`${ID}_longer`]);
  });

  it.runIf(isLongForm)('fails within the deadlines if S3 accepts nothing', async () => {
    const { s3, store } = await storeOnFake(HASTY);
    s3.disturb(hang);
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow('S3 did not respond within 200 ms.');
  });
});

describe('a server that hangs', () => {
  it('hangs neither size nor get nor delete, which ask it three times', async () => {
    const asked = async (method: 'size' | 'get' | 'delete'): Promise<void> => {
      // Longer than a busy machine takes to send a request, because each attempt must arrive.
      const { s3, store } = await storeOnFake({ timeouts: { requestMs: 2_000 } });
      s3.disturb(hang);
      await expect(store[method](ID)).rejects.toThrow('S3 did not respond within 2000 ms.');
      expect(s3.requests).toHaveLength(3);
      await eventually(async () => expect(await s3.connections()).toBe(0));
    };
    await Promise.all([asked('size'), asked('get'), asked('delete')]);
  });

  it('does not hang a call in the middle of its response', async () => {
    const { s3, store } = await storeOnFake(HASTY);
    s3.disturb(
      on('ListMultipartUploads', (_, { outgoing }) => {
        outgoing.write('<Result>');
        return HANDLED;
      }),
    );
    await expect(store.delete(ID)).rejects.toThrow('S3 did not respond within 200 ms.');
  });

  it('does not hang a call if it reads no bytes', async () => {
    const unresponsive = createServer((socket) => void socket.pause().on('error', () => undefined));
    unresponsive.listen(0, '127.0.0.1');
    await once(unresponsive, 'listening');
    onTestFinished(() => void unresponsive.close());
    const address = unresponsive.address();
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { store } = await storeOnFake({ ...HASTY, endpoint });
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow('did not respond');
  });

  it('differs from a port without a listener', async () => {
    const { s3, store } = await storeOnFake();
    await s3.close();
    await expect(store.get(ID)).rejects.toThrow('S3 did not respond to a GET.');
  });
});

describe('a server that responds to every request with a page', () => {
  const page: Disturbance = async (_, { incoming, outgoing }) => {
    await readBody(incoming);
    outgoing
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<html>&#x7fffffff; <Key>&#x7fffffff;</Key></html>');
    return HANDLED;
  };

  it.each(isLongForm ? [1, 6 * MIB] : [1])('has taken no file of %i bytes', async (size) => {
    const { s3, store } = await storeOnFake({ maxAttempts: 1 });
    s3.disturb(page);
    await expect(store.put(ID, chunksOf(size, 1))).rejects.toThrow(
      'is not from S3, so the file is not stored',
    );
  });

  it.each(['UploadPart', 'CompleteMultipartUpload'])(
    'has taken no file if it does so from %s on',
    async (operation) => {
      const { s3, store } = await storeOnFake({ maxAttempts: 1 });
      s3.disturb(on(operation, page));
      await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow(S3Error);
      expect([...s3.objects.keys(), ...s3.unfinished()]).toEqual([]);
    },
  );

  it.runIf(isLongForm)('compresses it, and a longer file than declared is refused', async () => {
    const { s3, store } = await storeOnFake({ maxAttempts: 1 });
    s3.disturb((_, { outgoing }) => {
      const packed = gzipSync(Buffer.alloc(64 * MIB));
      outgoing.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': packed.length }).end(packed);
      return HANDLED;
    });
    const content = await store.get(ID);
    let read = 0;
    const readAll = async (): Promise<void> => {
      for await (const chunk of content ?? []) read += chunk.length;
    };
    await expect(readAll()).rejects.toThrow('another length than it said');
    expect(read).toBeLessThan(MIB);
  });
});

describe('a download', () => {
  const half = Buffer.alloc(300_000);
  const halfOfIt: Disturbance = (_, { outgoing }) => {
    outgoing.writeHead(200, { 'Content-Length': 2 * half.length });
    outgoing.write(half);
    return undefined;
  };

  it('fails if it breaks off, rather than pass for a whole file', async () => {
    const { s3, store } = await storeOnFake();
    for (const end of ['destroy', 'end'] as const) {
      s3.disturb(
        on('GetObject', async (request, wire) => {
          await halfOfIt(request, wire);
          wire.outgoing.write(half.subarray(0, 1), () => wire.outgoing.socket?.[end]());
          return HANDLED;
        }),
      );
      await expect(text(await store.get(ID))).rejects.toThrow('S3 broke off in the middle of a file.');
    }
  });

  it('fails if it stalls while its reader waits', async () => {
    const { s3, store } = await storeOnFake(HASTY);
    s3.disturb(
      on('GetObject', async (request, wire) => {
        await halfOfIt(request, wire);
        return HANDLED;
      }),
    );
    await expect(text(await store.get(ID))).rejects.toThrow('S3 sent nothing for 200 ms.');
    await eventually(async () => expect(await s3.connections()).toBe(0));
  });

  it('is read no faster than its consumer reads, however long that takes', async () => {
    const { s3, store } = await storeOnFake({ timeouts: { stallMs: 1_000 } });
    // Stalls depend on this test's clock, not on the machine's speed.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let written = 0;
    s3.disturb(
      on('GetObject', (_, { outgoing }) => {
        outgoing.writeHead(200, { 'Content-Length': 64 * MIB });
        const write = (): void => {
          while (written < 64 * MIB) {
            written += MIB;
            if (!outgoing.write(Buffer.alloc(MIB))) return void outgoing.once('drain', write);
          }
          outgoing.end();
        };
        write();
        return HANDLED;
      }),
    );
    const reader = (await store.get(ID))?.getReader();
    await reader?.read();
    // Wait until the sockets' buffers are full, so that the server stops writing.
    let before = -1;
    let unchangedLooks = 0;
    await until('the server has written nothing for a while', () => {
      unchangedLooks = before === written ? unchangedLooks + 1 : 0;
      before = written;
      return unchangedLooks === 20;
    });
    expect(written).toBeLessThan(32 * MIB);
    await vi.advanceTimersByTimeAsync(10_000);
    let size = MIB;
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      size += next.value.byteLength;
    }
    expect(size).toBeGreaterThanOrEqual(64 * MIB);
  });

  it('ends its connection when its consumer goes away', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(
      on('GetObject', async (request, wire) => {
        await halfOfIt(request, wire);
        return HANDLED;
      }),
    );
    const reader = (await store.get(ID))?.getReader();
    await reader?.read();
    expect(await s3.connections()).toBe(1);
    await reader?.cancel();
    await eventually(async () => expect(await s3.connections()).toBe(0));
  });

  it('is refused if S3 ignores its range', async () => {
    const { s3, store } = await storeOnFake();
    await store.put(ID, streamOf('whole'));
    s3.disturb((request) => void delete request.headers.range);
    await expect(store.get(ID, { start: 1, end: 2 })).rejects.toThrow('a whole file instead of a range');
  });

  it('distinguishes a missing bucket from a missing file', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb(refuse(404, 'NoSuchBucket'));
    await expect(store.get(ID)).rejects.toMatchObject({ status: 404, code: 'NoSuchBucket' });
  });

  it('does not follow redirects', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb((_, { outgoing }) => {
      outgoing.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end();
      return HANDLED;
    });
    await expect(store.get(ID)).rejects.toMatchObject({ status: 307 });
  });
});

describe('a server that cannot list unfinished uploads', () => {
  it.each([501, 405])('(%i) can still delete', async (status) => {
    const { s3, store } = await storeOnFake();
    await store.put(ID, streamOf('x'));
    s3.disturb(on('ListMultipartUploads', refuse(status, 'NotImplemented')));
    await store.delete(ID);
    expect(s3.objects.size).toBe(0);
  });

  it('leaves no failed upload', async () => {
    const { s3, store } = await storeOnFake();
    s3.disturb((request, wire) => {
      if (request.operation === 'UploadPart') return refuse(403, 'AccessDenied')(request, wire);
      if (request.operation === 'ListMultipartUploads') return refuse(501, 'NotImplemented')(request, wire);
      return undefined;
    });
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow('AccessDenied');
    expect(s3.unfinished()).toEqual([]);
  });
});

describe('a response with escaped characters', () => {
  const withUploadId = (escapedId: string): Disturbance =>
    on('CreateMultipartUpload', async (_, { incoming, outgoing }) => {
      await readBody(incoming);
      respondXml(outgoing, `<UploadId>${escapedId}</UploadId>`);
      return HANDLED;
    });

  it.each([
    ['a&amp;b', 'a&b'],
    ['&lt;&gt;&quot;&apos;', `<>"'`],
    ['a&#38;b', 'a&b'],
    ['a&#x26;b', 'a&b'],
    ['&#x2F;&#x2f;', '//'],
    ['&#x10ffff;', '\u{10ffff}'],
    // Unescaped once only.
    ['&#38;amp;', '&amp;'],
    ['&amp;#38;', '&#38;'],
    // No characters, so they stay as they are.
    ['&#x110000;', '&#x110000;'],
    ['&#1114112;', '&#1114112;'],
    ['&nbsp;', '&nbsp;'],
  ])('has %s read as %s', async (escapedId, uploadId) => {
    const { s3, store } = await storeOnFake({ maxAttempts: 1 });
    const uploadIds: (string | null)[] = [];
    s3.disturb(async (request, wire) => {
      if (request.operation !== 'UploadPart') return withUploadId(escapedId)(request, wire);
      uploadIds.push(new URL(wire.incoming.url ?? '', s3.endpoint).searchParams.get('uploadId'));
      return refuse(403, 'AccessDenied')(request, wire);
    });
    await expect(store.put(ID, chunksOf(6 * MIB, 1))).rejects.toThrow('AccessDenied');
    expect(uploadIds).toEqual([uploadId]);
  });
});

describe('an error', () => {
  it.each<[string, Disturbance]>([
    ['that repeats what was signed', refuse(403, 'SignatureDoesNotMatch')],
    [
      'without a code',
      (_, { outgoing }) => {
        respondXml(outgoing, `<Code>${SECRETS.sessionToken} and more</Code>`, 400);
        return HANDLED;
      },
    ],
    ['of the connection', reset],
  ])('%s has no credentials in it', async (_, disturbance) => {
    const { s3, store } = await storeOnFake({ maxAttempts: 1 });
    s3.disturb(disturbance);
    const error: unknown = await store.get(ID).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(S3Error);
    for (let part: unknown = error; part instanceof Error; part = part.cause) {
      const reported = JSON.stringify([part.message, part.stack, ...Object.values(part)]);
      for (const secret of Object.values(SECRETS)) expect(reported).not.toContain(secret);
    }
  });
});
