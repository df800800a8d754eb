import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
import { respondError, respondXml, readBody } from './fake-s3-responses.ts';

interface FakeRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The S3 operation, such as `PutObject`. */
  readonly operation: string;
}

/** Disturbs a request. Returns `handled` if the usual response must not follow. */
export type Disturbance = (
  request: FakeRequest,
  wire: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
) => 'handled' | undefined | Promise<'handled' | undefined>;

export interface FakeS3 {
  readonly endpoint: string;
  readonly requests: readonly FakeRequest[];
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Keys of uploads that are neither completed nor aborted. */
  unfinished(): readonly string[];
  disturb(disturbance: Disturbance): void;
  connections(): Promise<number>;
  close(): Promise<void>;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/** Starts an S3 in memory, with the faults that a test wants. The bucket is the first part of the path. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();
  const requests: FakeRequest[] = [];
  let disturbance: Disturbance = () => undefined;

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = describe(incoming);
    requests.push(request);
    if ((await disturbance(request, { incoming, outgoing })) === 'handled') return;
    const body = await readBody(incoming);
    const hash = createHash('sha256').update(body).digest('hex');
    if (request.headers['x-amz-content-sha256'] !== hash) {
      return respondError(outgoing, 400, 'XAmzContentSHA256Mismatch');
    }
    OPERATIONS[request.operation]?.({ request, body, outgoing, objects, uploads });
  };

  const server = createServer((incoming, outgoing) => {
    // Fails if the client disconnects in the middle of its request.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');

  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    objects,
    unfinished: () => Array.from(uploads.values(), ({ key }) => key),
    disturb(given) {
      disturbance = given;
    },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function describe({ method = '', url = '', headers }: IncomingMessage): FakeRequest {
  const { pathname, searchParams: query } = new URL(url, 'http://fake');
  const key = pathname.replace(/^\/[^/]*\/?/, '');
  return { method, key, query, headers, operation: operationOf(method, key, query) };
}

function operationOf(method: string, key: string, query: URLSearchParams): string {
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjects';
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
  if (method === 'PUT') return query.has('uploadId') ? 'UploadPart' : 'PutObject';
  return method === 'HEAD' ? 'HeadObject' : 'GetObject';
}

interface Call {
  readonly request: FakeRequest;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, Upload>;
}

const OPERATIONS: Readonly<Record<string, (call: Call) => void>> = {
  PutObject({ request, body, outgoing, objects }) {
    objects.set(request.key, body);
    outgoing.writeHead(200, { ETag: tagOf(body) }).end();
  },
  DeleteObject({ request, outgoing, objects }) {
    objects.delete(request.key);
    outgoing.writeHead(204).end();
  },
  HeadObject({ request, outgoing, objects }) {
    const object = objects.get(request.key);
    if (object) outgoing.writeHead(200, { 'Content-Length': object.length }).end();
    else outgoing.writeHead(404).end();
  },
  GetObject({ request, outgoing, objects }) {
    const object = objects.get(request.key);
    if (!object) return respondError(outgoing, 404, 'NoSuchKey');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (!range) return void outgoing.writeHead(200, { 'Content-Length': object.length }).end(object);
    const part = object.subarray(Number(range[1]), Number(range[2]) + 1);
    outgoing.writeHead(206, { 'Content-Length': part.length }).end(part);
  },
  CreateMultipartUpload({ request, outgoing, uploads }) {
    const uploadId = `${randomUUID()}&+/=`;
    uploads.set(uploadId, { key: request.key, parts: new Map() });
    respondXml(outgoing, `<UploadId>${uploadId.replace('&', '&amp;')}</UploadId>`);
  },
  UploadPart({ request, body, outgoing, uploads }) {
    const upload = uploads.get(request.query.get('uploadId') ?? '');
    if (!upload) return respondError(outgoing, 404, 'NoSuchUpload');
    upload.parts.set(Number(request.query.get('partNumber')), body);
    outgoing.writeHead(200, { ETag: tagOf(body) }).end();
  },
  CompleteMultipartUpload({ request, body, outgoing, objects, uploads }) {
    const uploadId = request.query.get('uploadId') ?? '';
    const upload = uploads.get(uploadId);
    if (!upload) return respondError(outgoing, 404, 'NoSuchUpload');
    const parts = Array.from(
      body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g),
      ([, number, tag]) => ({ bytes: upload.parts.get(Number(number)) ?? Buffer.alloc(0), tag }),
    );
    if (!parts.every(({ bytes, tag }) => tagOf(bytes) === tag)) {
      return respondError(outgoing, 400, 'InvalidPart');
    }
    if (parts.slice(0, -1).some(({ bytes }) => bytes.length < 5 * 1_048_576)) {
      return respondError(outgoing, 400, 'EntityTooSmall');
    }
    objects.set(request.key, Buffer.concat(parts.map(({ bytes }) => bytes)));
    uploads.delete(uploadId);
    respondXml(outgoing, `<Key>${request.key}</Key><ETag>&quot;made of ${parts.length}&quot;</ETag>`);
  },
  AbortMultipartUpload({ request, outgoing, uploads }) {
    const wasThere = uploads.delete(request.query.get('uploadId') ?? '');
    if (wasThere) outgoing.writeHead(204).end();
    else respondError(outgoing, 404, 'NoSuchUpload');
  },
  ListObjects({ request: { query }, outgoing, objects }) {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('marker') ?? ''];
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = keys.slice(0, Number(query.get('max-keys')));
    const entries = page.map((key) => `<Contents><Key>${key}</Key></Contents>`);
    respondXml(outgoing, `<IsTruncated>${page.length < keys.length}</IsTruncated>${entries.join('')}`);
  },
  ListMultipartUploads({ request, outgoing, uploads }) {
    const prefix = request.query.get('prefix') ?? '';
    const listed = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
    const entries = listed.map(
      ([uploadId, { key }]) =>
        `<Upload><Key>${key}</Key><UploadId>${uploadId.replace('&', '&amp;')}</UploadId></Upload>`,
    );
    respondXml(outgoing, `<Prefix>${prefix}</Prefix>${entries.join('')}`);
  },
};

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}
