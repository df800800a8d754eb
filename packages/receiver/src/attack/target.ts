import { once } from 'node:events';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Socket } from 'node:net';
import type { RawRequest } from './raw-request.ts';

/** The outcome of a request: the status of the response, a closed connection, or no response in time. */
export type Reply = number | 'closed' | 'no response';

/** The receiver under attack. */
export interface Target {
  /** Sends the request with all its headers, including repeated ones. */
  send(request: RawRequest): Promise<Reply>;
  /**
   * Sends a body of spaces until there is an outcome. If all `bytes` are sent first, resolves with `closed` if the
   * connection then closes, else with `everything read`.
   */
  flood(request: RawRequest, bytes: number): Promise<Reply | 'everything read'>;
  /** Sends only the headers of a request, not its body. */
  announce(request: RawRequest): Promise<Reply>;
  /** Sends bodies in chunks of one byte over several connections, and leaves them unfinished while `meanwhile` runs. */
  crumble<Result>(request: RawRequest, crumbs: Crumbs, meanwhile: () => Promise<Result>): Promise<Result>;
  /** Sends half of the body, pauses while `meanwhile` runs, and closes the connection. */
  stall<Result>(request: RawRequest, meanwhile: () => Promise<Result>): Promise<Result>;
}

export interface Crumbs {
  readonly connections: number;
  /** Per connection. */
  readonly bytes: number;
}

export interface TargetOptions {
  readonly url: URL;
  /** Returns how long to wait for the response to the next request, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Called when a response does not come in time. */
  readonly onLate?: () => void;
  readonly signal: AbortSignal;
}

export function createTarget({ url, timeoutMs, onLate = () => {}, signal }: TargetOptions): Target {
  const responseTo = (request: ClientRequest): Promise<Reply> =>
    responseOf(request, { timeoutMs: timeoutMs(), onLate });
  const open = (headers: RawRequest['headers']): ClientRequest => {
    const lines = [['Host', url.host], ['Connection', 'close'], ...headers].flatMap(
      ([name = '', value = '']) => [
        name,
        // Node writes header texts as Latin-1; this conversion makes it send UTF-8.
        Buffer.from(value, 'utf8').toString('latin1'),
      ],
    );
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return request(url, { method: 'POST', headers: lines, agent: false, signal });
  };

  return {
    send: async ({ headers, body }) => {
      const request = open([...headers, ['Content-Length', String(body.length)]]);
      const reply = responseTo(request);
      request.end(body);
      return reply;
    },
    flood: async ({ headers }, bytes) => {
      const request = open([...headers, ['Transfer-Encoding', 'chunked']]);
      let reply: Reply | undefined;
      const responded = responseTo(request).then((value) => (reply = value));
      const chunk = Buffer.alloc(64 * 1024, ' ');
      for (let sent = 0; sent < bytes && reply === undefined; sent += chunk.length) {
        if (!request.write(chunk)) await Promise.race([once(request, 'drain').catch(() => {}), responded]);
      }
      if (reply !== undefined) return reply;
      request.end();
      const last = await responded;
      return last === 'closed' ? last : 'everything read';
    },
    announce: async ({ headers, body }) => {
      const request = open([...headers, ['Content-Length', String(body.length)]]);
      const reply = responseTo(request);
      request.flushHeaders();
      return reply;
    },
    crumble: async ({ headers }, { connections, bytes }, meanwhile) => {
      const requests = Array.from({ length: connections }, () =>
        open([...headers, ['Transfer-Encoding', 'chunked']]),
      );
      try {
        await Promise.all(requests.map((request) => sendCrumbs(request, bytes)));
        return await meanwhile();
      } finally {
        for (const request of requests) request.destroy();
      }
    },
    stall: async ({ headers, body }, meanwhile) => {
      const request = open([...headers, ['Content-Length', String(body.length)]]);
      request.on('error', () => {}); // the receiver may hang up first
      request.write(body.subarray(0, body.length / 2));
      try {
        return await meanwhile();
      } finally {
        request.destroy();
      }
    },
  };
}

/** Resolves when all chunks are sent or the connection is closed. */
async function sendCrumbs(request: ClientRequest, bytes: number): Promise<void> {
  request.on('error', () => {}); // the receiver may hang up
  request.on('response', (response: IncomingMessage) => response.resume());
  const closed = once(request, 'close');
  request.flushHeaders();
  const found = await Promise.race([once(request, 'socket'), closed]);
  const socket: unknown = found[0];
  if (!(socket instanceof Socket)) return;
  // `request.write` would make a system call for each chunk.
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += CRUMBS_AT_ONCE) {
    if (!socket.write(CRUMBS)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
}

const CRUMBS_AT_ONCE = 8192;
const CRUMBS = '1\r\n \r\n'.repeat(CRUMBS_AT_ONCE);

async function responseOf(
  request: ClientRequest,
  { timeoutMs, onLate }: { readonly timeoutMs: number; readonly onLate: () => void },
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const timer = setTimeout(() => {
    onLate();
    resolve('no response');
  }, timeoutMs);
  request.on('response', (response: IncomingMessage) => {
    response.resume();
    resolve(response.statusCode ?? 'closed');
  });
  request.on('error', () => resolve('closed'));
  request.on('close', () => resolve('closed'));
  const reply = await promise;
  clearTimeout(timer);
  request.destroy();
  return reply;
}
