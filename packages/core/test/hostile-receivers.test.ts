import type { TLSSocket, TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { createTrunkline } from '../src/index.ts';
import type { AttemptResource, Trunkline, WorkspaceApi } from '../src/index.ts';
import { nodeRuntime } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { Authority } from './node/certificates.ts';
import type { LeafOptions } from './node/certificates.ts';
import { Servers } from './node/servers.ts';
import { SECRET_KEY, only } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const KEPT_BYTES = 16 * 1024;
const HOST = 'hooks.test';

type Recorded = Readonly<Record<'error_code' | 'response_status' | 'response_body', unknown>>;

interface Receiver {
  readonly does?: (socket: TLSSocket) => void;
  readonly tls?: TlsOptions;
  readonly certificate?: LeafOptions;
  /** Accepts the connection, but never sends a byte of TLS. */
  readonly isMute?: boolean;
}

const noResponse = { response_status: null, response_body: null };
const TIMEOUT = { error_code: 'TIMEOUT', ...noResponse };
const TLS_FAILED = { error_code: 'TLS_FAILED', ...noResponse };
const CONNECTION_FAILED = { error_code: 'CONNECTION_FAILED', ...noResponse };
const taken = (body: unknown): Recorded => ({ error_code: null, response_status: 200, response_body: body });

const RECEIVERS: Readonly<Record<string, Receiver & { readonly recorded: Recorded }>> = {
  'says nothing': { does: (socket) => socket.resume(), recorded: TIMEOUT },
  'sends its headers drop by drop': {
    does: asked((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ')),
    recorded: TIMEOUT,
  },
  'floods with 1xx': {
    does: asked((socket) => every(socket, 5, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(20))),
    recorded: TIMEOUT,
  },
  'ends its half of the connection without a response': {
    does: asked((socket) => socket.end()),
    recorded: CONNECTION_FAILED,
  },
  'resets the connection in the middle of its headers': {
    does: asked((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket.destroy())),
    recorded: CONNECTION_FAILED,
  },
  'redirects to a place within': {
    does: asked((socket) =>
      socket.write('HTTP/1.1 307 No\r\nLocation: https://169.254.169.254/\r\nContent-Length: 0\r\n\r\n'),
    ),
    recorded: { error_code: 'REDIRECT', response_status: 307, response_body: '' },
  },
  'sends its body drop by drop': {
    does: asked((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')),
    recorded: taken(expect.stringMatching(/^a+$/)),
  },
  'refuses, and never ends its body': {
    does: asked((socket) => socket.write('HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nbusy')),
    recorded: { error_code: 'HTTP_ERROR', response_status: 503, response_body: 'busy' },
  },
  'sends a body without end': {
    does: asked((socket) => {
      const pour = (): void => {
        if (!socket.destroyed) socket.write('z'.repeat(65_536), pour);
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n', pour);
    }),
    recorded: taken('z'.repeat(KEPT_BYTES)),
  },
  'sends a gzip bomb': {
    does: asked((socket) => {
      const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    }),
    recorded: taken(expect.stringContaining('\x1f')),
  },
  'has a certificate that is over': { certificate: { names: [HOST], expired: true }, recorded: TLS_FAILED },
  'has the certificate of another host': { certificate: { names: ['other.test'] }, recorded: TLS_FAILED },
  'does not respond to the handshake': { isMute: true, recorded: TIMEOUT },
  'speaks TLS 1.1': {
    tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
    recorded: TLS_FAILED,
  },
};

const servers = new Servers();
let trunkline: Trunkline;
let api: WorkspaceApi;
let recorded: ReadonlyMap<string, Promise<AttemptResource>>;

beforeAll(async () => {
  const authority = await Authority.create();
  trunkline = createTrunkline({
    ...nodeRuntime({
      dns: { resolve: async () => ['127.0.0.1'] },
      webhooks: { tls: { ca: [authority.cert] } },
    }),
    storage: memoryStorage(),
    gateways: [createSandbox().gateway],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    roles: only('api', 'webhooks'),
  });
  await trunkline.start();
  const { id } = await trunkline.admin.workspaces.create({ name: 'Acme', plan: { webhookLimit: 100 } });
  api = trunkline.workspace(id);
  const startReceiver = async ({ does, tls, certificate, isMute }: Receiver): Promise<number> => {
    if (isMute) return (await servers.raw((socket) => socket.resume())).port;
    const leaf = await authority.issue(certificate ?? { names: [HOST] });
    return (await servers.tls({ ...tls, ...leaf }, does)).port;
  };
  // Start all concurrently, since half of them take the full timeout.
  recorded = new Map(
    Object.entries(RECEIVERS).map(([name, receiver]) => [name, startReceiver(receiver).then(firstAttempt)]),
  );
});

afterAll(async () => {
  await trunkline.stop();
  await servers.close();
});

async function firstAttempt(port: number): Promise<AttemptResource> {
  const webhook = await api.webhooks.create({ url: `https://${HOST}:${port}/`, events: ['message.sent'] });
  const { id } = await api.webhooks.test(webhook.id);
  return eventually(async () => {
    const [attempt] = (await api.deliveries.get(id)).attempt_log;
    if (!attempt) throw new Error('No attempt was recorded.');
    return attempt;
  });
}

/** A receiver that responds when the first bytes of a request arrive. */
function asked(respond: (socket: TLSSocket) => void): (socket: TLSSocket) => void {
  return (socket) => {
    socket.on('error', () => {}); // the sender closes the connection
    socket.once('data', () => respond(socket));
  };
}

function drip(socket: TLSSocket, beginning: string): void {
  socket.write(beginning);
  every(socket, 100, 'a');
}

function every(socket: TLSSocket, ms: number, text: string): void {
  const timer = setInterval(() => socket.write(text), ms);
  socket.once('close', () => clearInterval(timer));
}

describe('the log of a delivery to a receiver on TLS that', () => {
  it.each(Object.entries(RECEIVERS))('%s', async (name, receiver) => {
    const attempt = await recorded.get(name);
    expect(attempt).toMatchObject({ attempt: 1, manual: false, ...receiver.recorded });
    expect(attempt?.duration_ms).toBeLessThan(HANG_MS);
    expect(Buffer.byteLength(attempt?.response_body ?? '')).toBeLessThanOrEqual(KEPT_BYTES);
  });

  it('leaves nothing open in the end', async () => {
    await Promise.all(recorded.values());
    await eventually(() => expect(servers.open).toBe(0));
  });
});
