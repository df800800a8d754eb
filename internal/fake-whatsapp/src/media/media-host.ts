import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createServerCertificate } from './certificate.ts';

/**
 * An HTTP status, a redirect, a 200 with changed bytes, or one that stops half-way and stays open, or that breaks off
 * there.
 */
export type MediaFailure = number | { readonly redirectTo: string } | 'corrupt' | 'stall' | 'cut';

type MediaDamage = Extract<MediaFailure, string>;

/** Where clients put encrypted files, `POST /mms/<kind>/<hash>`, and get them, `GET /o1/<hash>`. */
export class MediaHost {
  /** The authority behind the certificate, PEM. */
  readonly authority: string;
  readonly #server: Server;
  readonly #files = new Map<string, Buffer>();
  #failures: MediaFailure[] = [];

  private constructor(server: Server, authority: string) {
    this.#server = server;
    this.authority = authority;
    // A client that hangs up in the middle is no problem of the host's.
    server.on('request', (request, response) => void this.#reply(request, response).catch(() => {}));
  }

  static async start(now: number): Promise<MediaHost> {
    const { authority, ...certificate } = await createServerCertificate(now);
    const server = createServer(certificate);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MediaHost(server, authority);
  }

  /** `127.0.0.1:port` */
  get host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the media host is not listening');
    return `127.0.0.1:${address.port}`;
  }

  /** Puts an encrypted file there as an upload does. */
  put(name: string, file: Buffer): { readonly url: string; readonly directPath: string } {
    const path = `/o1/${name}`;
    this.#files.set(path, file);
    return { url: `https://${this.host}${path}`, directPath: path };
  }

  /** The encrypted file behind a direct path, or undefined. */
  get(directPath: string): Buffer | undefined {
    return this.#files.get(directPath.split('?')[0] ?? '');
  }

  /** The next requests fail like this, one each. */
  fail(failure: MediaFailure, times: number): void {
    this.#failures.push(...Array<MediaFailure>(times).fill(failure));
  }

  forget(): void {
    this.#files.clear();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const failure = this.#failures.shift();
    if (typeof failure === 'number') {
      response.writeHead(failure).end('{}');
      return;
    }
    if (typeof failure === 'object') {
      response.writeHead(302, { location: failure.redirectTo }).end();
      return;
    }
    const { pathname } = new URL(request.url ?? '', 'https://media');
    if (request.method === 'POST') this.#receive(pathname, body, response);
    else this.#hand(pathname, response, failure);
  }

  #receive(pathname: string, body: Buffer, response: ServerResponse): void {
    const { url, directPath } = this.put(pathname.split('/').at(-1) ?? '', body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url, direct_path: directPath }));
  }

  #hand(pathname: string, response: ServerResponse, failure: MediaDamage | undefined): void {
    const file = this.#files.get(pathname);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-length': String(file.length) });
    const half = file.subarray(0, file.length / 2);
    if (failure === 'stall') response.write(half);
    else if (failure === 'cut') response.write(half, () => response.destroy());
    else response.end(failure === 'corrupt' ? withOneByteChanged(file) : file);
  }
}

function withOneByteChanged(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  changed[0] = (changed[0] ?? 0) ^ 1;
  return changed;
}
