import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createServerCertificate } from './certificate.ts';
import type { ServerCertificate } from './certificate.ts';
import { MediaAddresses } from './media-addresses.ts';

/**
 * An HTTP status, a redirect, a 200 with changed bytes, or a 200 that stops half-way and then stays open (`stall`) or
 * breaks off (`cut`). An upload is not affected by these three, but by `silence`: the request gets no response.
 */
export type MediaFailure = number | { readonly redirectTo: string } | MediaDamage | 'silence';

type MediaDamage = 'corrupt' | 'stall' | 'cut';

/** The state of a host: working, without a server, or with a server that never responds. */
export type MediaHostState = 'up' | 'down' | 'silent';

export interface MediaRequest {
  /** The position of the host in the list that clients get. */
  readonly host: number;
  readonly method: string;
  readonly path: string;
  /** The `Range` header, or null. */
  readonly range: string | null;
}

/**
 * The hosts to which clients upload encrypted files (`POST /mms/<kind>/<hash>`, with a token), and from which they
 * download files (`GET /o1/<hash>`, with the signature in the address). All hosts have the same files.
 */
export class MediaHost {
  /** The authority behind the certificate, PEM. */
  readonly authority: string;
  readonly addresses: MediaAddresses;
  readonly requests: MediaRequest[] = [];
  readonly #certificate: Omit<ServerCertificate, 'authority'>;
  #servers: Server[] = [];
  #names: string[] = [];
  readonly #files = new Map<string, Buffer>();
  /** Files that phones have sent, which stay on the phones. */
  readonly #onPhones = new Map<string, Buffer>();
  #failures: MediaFailure[] = [];
  #uploads = 0;

  private constructor({ authority, ...certificate }: ServerCertificate, addresses: MediaAddresses) {
    this.authority = authority;
    this.#certificate = certificate;
    this.addresses = addresses;
  }

  static async start(now: () => number): Promise<MediaHost> {
    // Clients check the certificate by the clock of the machine.
    const host = new MediaHost(await createServerCertificate(Date.now()), new MediaAddresses(now));
    await host.setHosts(['up']);
    return host;
  }

  /** The names that clients get: `127.0.0.1:port` each, in order. */
  get hosts(): readonly string[] {
    return this.#names;
  }

  /** Replaces the hosts that clients get. The previous hosts stop. */
  async setHosts(states: readonly MediaHostState[]): Promise<void> {
    const former = this.#servers;
    this.#servers = [];
    this.#names = [];
    for (const [index, state] of states.entries()) {
      const server = createServer(this.#certificate);
      // A client that hangs up in the middle of a request is not a problem.
      if (state === 'up')
        server.on(
          'request',
          (request, response) => void this.#reply(index, request, response).catch(() => {}),
        );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#names.push(nameOf(server));
      if (state === 'down') await close(server);
      else this.#servers.push(server);
    }
    await Promise.all(former.map(close));
  }

  /** Stores an encrypted file, as an upload does. */
  put(name: string, file: Buffer): { readonly url: string; readonly directPath: string } {
    const path = `/o1/${name}`;
    this.#files.set(path, file);
    const directPath = this.addresses.sign(path);
    return { url: `https://${this.#names[0] ?? 'no-host'}${directPath}`, directPath };
  }

  /** Stores a part of a phone's history. Its downloads are not listed and never fail: clients choose their time. */
  putHistory(file: Buffer): { readonly directPath: string } {
    return this.put(`${HISTORY}${randomBytes(16).toString('hex')}`, file);
  }

  /** Like `put`, but for a phone, which keeps the file. */
  putFromPhone(name: string, file: Buffer): { readonly url: string; readonly directPath: string } {
    this.#onPhones.set(name, file);
    return this.put(name, file);
  }

  /** Uploads a phone's file again, to another path. Null if no phone has a file of this name. */
  putAgain(name: string): string | null {
    const file = this.#onPhones.get(name);
    if (file === undefined) return null;
    this.#uploads += 1;
    return this.put(`${name}-${String(this.#uploads)}`, file).directPath;
  }

  get(directPath: string): Buffer | undefined {
    return this.#files.get(directPath.split('?')[0] ?? '');
  }

  fail(failure: MediaFailure, times: number): void {
    this.#failures.push(...Array<MediaFailure>(times).fill(failure));
  }

  forget(): void {
    this.#files.clear();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(close));
  }

  async #reply(host: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'https://media');
    const range = request.headers.range ?? null;
    const isHistory = pathname.startsWith(`/o1/${HISTORY}`);
    if (!isHistory) this.requests.push({ host, method, path: pathname, range });
    const failure = isHistory ? undefined : this.#failures.shift();
    if (failure === 'silence') return;
    if (typeof failure === 'number') {
      response.writeHead(failure).end('{}');
      return;
    }
    if (typeof failure === 'object') {
      response.writeHead(302, { location: failure.redirectTo }).end();
      return;
    }
    if (method === 'POST') {
      if (this.addresses.mayUpload(searchParams)) this.#receive(pathname, body, response);
      else response.writeHead(401).end('{}');
    } else if (this.addresses.isValid(pathname, searchParams)) {
      this.#hand(pathname, response, { range, damage: failure });
    } else response.writeHead(403).end('URL signature expired');
  }

  #receive(pathname: string, body: Buffer, response: ServerResponse): void {
    const { url, directPath } = this.put(pathname.split('/').at(-1) ?? '', body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url, direct_path: directPath }));
  }

  #hand(
    pathname: string,
    response: ServerResponse,
    { range, damage }: { readonly range: string | null; readonly damage: MediaDamage | undefined },
  ): void {
    const whole = this.#files.get(pathname);
    if (whole === undefined) {
      response.writeHead(404).end();
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    if (start > 0 && start >= whole.length) {
      response.writeHead(416, { 'content-range': `bytes */${String(whole.length)}` }).end();
      return;
    }
    const file = whole.subarray(start);
    const last = String(whole.length - 1);
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': String(file.length),
      ...(start > 0 && { 'content-range': `bytes ${String(start)}-${last}/${String(whole.length)}` }),
    });
    const half = file.subarray(0, file.length / 2);
    if (damage === 'stall') response.write(half);
    else if (damage === 'cut') response.write(half, () => response.destroy());
    else response.end(damage === 'corrupt' ? withOneByteChanged(file) : file);
  }
}

const HISTORY = 'history-';

function nameOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the media host is not listening');
  return `127.0.0.1:${String(address.port)}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function withOneByteChanged(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  changed[0] = (changed[0] ?? 0) ^ 1;
  return changed;
}
