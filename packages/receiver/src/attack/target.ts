import { once } from 'node:events';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Socket } from 'node:net';
import type { RawRequest } from './raw-request.ts';

/** What became of a request: its status, or that the receiver closed the connection, or that nothing came in time. */
export type Answer = number | 'closed' | 'no answer';

/** The receiver under attack. */
export interface Target {
  /** Sends the request as it stands, whether or not it is good HTTP manners. */
  send(request: RawRequest): Promise<Answer>;
  /** Goes on sending until there is an answer, or until `bytes` are sent: then the answer is `everything read`. */
  flood(request: RawRequest, bytes: number): Promise<Answer | 'everything read'>;
  /** Sends the headers of a request whose body never follows. */
  announce(request: RawRequest): Promise<Answer>;
  /** Sends bodies in chunks of one byte, over as many connections, and leaves them open while `meanwhile` runs. */
  crumble<Result>(request: RawRequest, crumbs: Crumbs, meanwhile: () => Promise<Result>): Promise<Result>;
  /** Sends half of the body, leaves it at that while `meanwhile` runs, and hangs up. */
  stall<Result>(request: RawRequest, meanwhile: () => Promise<Result>): Promise<Result>;
}

export interface Crumbs {
  readonly connections: number;
  /** On each connection. */
  readonly bytes: number;
}

export interface TargetOptions {
  readonly url: URL;
  /** How long to wait for the answer to a request. */
  readonly timeoutMs: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

export function createTarget({ url, timeoutMs, signal }: TargetOptions): Target {
  const open = (headers: RawRequest['headers']): ClientRequest => {
    const lines = [['Host', url.host], ['Connection', 'close'], ...headers].flatMap(
      ([name = '', value = '']) => [
        name,
        // Node writes header texts as Latin-1: this makes UTF-8 of them.
        Buffer.from(value, 'utf8').toString('latin1'),
      ],
    );
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return request(url, { method: 'POST', headers: lines, agent: false, signal });
  };

  return {
    send: async ({ headers, body }) => {
      const request = open([...headers, ['Content-Length', String(body.length)]]);
      const answer = answerOf(request, timeoutMs);
      request.end(body);
      return answer;
    },
    flood: async ({ headers }, bytes) => {
      const request = open([...headers, ['Transfer-Encoding', 'chunked']]);
      let answer: Answer | undefined;
      const answered = answerOf(request, timeoutMs).then((value) => (answer = value));
      const chunk = Buffer.alloc(64 * 1024, ' ');
      for (let sent = 0; sent < bytes && answer === undefined; sent += chunk.length) {
        if (!request.write(chunk)) await Promise.race([once(request, 'drain').catch(() => {}), answered]);
      }
      if (answer !== undefined) return answer;
      request.end();
      const last = await answered;
      return last === 'closed' ? last : 'everything read';
    },
    announce: async ({ headers, body }) => {
      const request = open([...headers, ['Content-Length', String(body.length)]]);
      const answer = answerOf(request, timeoutMs);
      request.flushHeaders();
      return answer;
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

/** Ends when all are sent, or when the receiver wants no more of them. */
async function sendCrumbs(request: ClientRequest, bytes: number): Promise<void> {
  request.on('error', () => {}); // the receiver may hang up
  request.on('response', (response: IncomingMessage) => response.resume());
  const closed = once(request, 'close');
  request.flushHeaders();
  const found = await Promise.race([once(request, 'socket'), closed]);
  const socket: unknown = found[0];
  if (!(socket instanceof Socket)) return;
  // Below `request.write`, which would be a call of the system for each.
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += CRUMBS_AT_ONCE) {
    if (!socket.write(CRUMBS)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
}

const CRUMBS_AT_ONCE = 8192;
const CRUMBS = '1\r\n \r\n'.repeat(CRUMBS_AT_ONCE);

async function answerOf(request: ClientRequest, timeoutMs: number): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => resolve('no answer'), timeoutMs);
  request.on('response', (response: IncomingMessage) => {
    response.resume();
    resolve(response.statusCode ?? 'closed');
  });
  request.on('error', () => resolve('closed'));
  request.on('close', () => resolve('closed'));
  const answer = await promise;
  clearTimeout(timer);
  request.destroy();
  return answer;
}
