import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { consoleLogger } from '@trunkline/core/spi/http';
import type { Logger } from '@trunkline/core';
import type { Address } from '../settings/setting-values.ts';
import { errorCode, reasonOf, StartError } from '../errors/start-error.ts';

export type FetchHandler = (request: Request, connection: HttpBindings) => Response | Promise<Response>;

export interface HttpListener {
  /** The URL, without a trailing slash. */
  readonly url: string;
  readonly address: AddressInfo;
  serve(handler: FetchHandler): void;
  /** Stops accepting connections. Resolves when every request in flight has its response, or is cut off. */
  close(): Promise<void>;
}

/**
 * Longer than the proxies on our deployment pages keep idle connections (60 s), so that no proxy sends a request on a
 * connection that we are closing.
 */
const KEEP_ALIVE_MS = 75_000;
/** How long idle connections stay open after `close`, so that requests already on their way get a response. */
const LAST_REQUESTS_MS = 300;
/**
 * A response that its client does not read for this long is cut off, because it holds a file or an S3 connection open.
 */
const STALLED_AFTER_MS = 60_000;
/** After `close`, a request that has no response by this time is cut off. */
const CLOSE_WITHIN_MS = 20_000;
/** How many bytes of a refused body are read: as many as the API itself reads. */
const REFUSED_BODY_MAX = 128 * 1_048_576;

/**
 * The maximum number of characters that ended responses together hold in memory because their clients have not read
 * them. A character takes two to five bytes, because Node keeps the text next to its encoded form.
 */
const UNREAD_MAX = 16 * 1_048_576;

interface ListenOptions {
  readonly stalledAfterMs?: number;
  readonly unreadMax?: number;
  readonly refusedBodyMax?: number;
  /** The names of the settings for host and port, for error messages. */
  readonly settings?: { readonly host: string; readonly port: string };
  readonly logger?: Logger;
}

const PORT_AND_HOST = { host: 'HOST', port: 'PORT' };

/**
 * Listens at the address before the service is started, so that an address in use is reported before anything is
 * written.
 */
export async function listen(
  address: Address,
  whileStarting: FetchHandler,
  {
    stalledAfterMs = STALLED_AFTER_MS,
    unreadMax = UNREAD_MAX,
    refusedBodyMax = REFUSED_BODY_MAX,
    settings = PORT_AND_HOST,
    logger = consoleLogger,
  }: ListenOptions = {},
): Promise<HttpListener> {
  let handler = whileStarting;
  let closing = false;
  // The cast is safe because the server has no HTTP/2.
  const handle = getRequestListener((request, connection) => handler(request, connection as HttpBindings), {
    autoCleanupIncoming: false, // would cut off a refused upload after half a second
    errorHandler: (error) => responseToError(error, logger),
  });
  const keepUnread = unreadResponses(unreadMax);
  const options = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(options, (incoming, outgoing) => {
    if (closing) outgoing.shouldKeepAlive = false;
    const hosts = hostsIn(incoming);
    // HTTP/1.0, which some health checks still use, has no Host header (RFC 1945).
    if (hosts === 0 && incoming.httpVersion === '1.0') incoming.headers.host = new URL(url).host;
    else if (hosts !== 1) return refuseHosts(outgoing, hosts);
    outgoing.setTimeout(stalledAfterMs, () => cutOffStalled(outgoing));
    outgoing.once('finish', () => cutOffEndless(incoming, refusedBodyMax));
    void Promise.resolve(handle(incoming, outgoing)).then(() => keepUnread(outgoing));
  });
  await startListening(server, address, settings);
  const listensAt = server.address() as AddressInfo; // not a pipe, whose address would be a string
  const url = urlOf(listensAt, address.host);
  return {
    url,
    address: listensAt,
    serve(next) {
      handler = next;
    },
    close() {
      closing = true;
      return closeServer(server);
    },
  };
}

/** Counts Host headers, because Node keeps only the first, and a proxy in front may have routed by another. */
function hostsIn({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
}

/** "A server MUST respond with a 400" (RFC 9112 section 3.2). */
function refuseHosts(outgoing: ServerResponse, hosts: number): void {
  const what = hosts === 0 ? 'it has no Host header' : 'it has more than one Host header';
  outgoing
    .writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' })
    .end(JSON.stringify(invalidRequest(what, { Host: ['Must be given once.'] })));
}

/** Responds with 400 if host and path form no URL (`Host: a b`, `OPTIONS *`), else with 500. */
function responseToError(error: unknown, logger: Logger): Response {
  if (!(error instanceof RequestError)) {
    logger.error({ err: error }, FAILED);
    const message = 'Something went wrong.';
    return Response.json({ error: { code: 'INTERNAL_ERROR', message, request_id: null } }, { status: 500 });
  }
  const fields = { Host: ['Must be a host, and make an address with the path.'] };
  const body = invalidRequest('its Host header and its path are not an address', fields);
  return Response.json(body, { status: 400, headers: { Connection: 'close' } });
}

const FAILED =
  'a request failed before the API could respond to it: fix the cause in err, or report it as a defect';

function invalidRequest(what: string, fields: Readonly<Record<string, readonly string[]>>): object {
  const message = `The request is not valid: ${what}.`;
  return { error: { code: 'VALIDATION_FAILED', message, request_id: null, details: { fields } } };
}

/**
 * Reads the rest of a refused body, up to `max`, because many clients read no response before they have sent
 * everything. Node drops the data, and closes a connection that is silent for KEEP_ALIVE_MS or whose request is
 * incomplete after 5 minutes.
 */
function cutOffEndless(incoming: IncomingMessage, max: number): void {
  if (incoming.complete) return;
  let left = max;
  incoming.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) incoming.socket.destroySoon();
  });
}

/**
 * Cuts off only a response that has begun. Until then, the client may be waiting for us, and Node's `requestTimeout`
 * handles a stalled request.
 */
function cutOffStalled(outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
}

/**
 * Counts the characters that ended responses still hold for their clients. Over `max`, the oldest responses are cut
 * off, because clients that read nothing could use up the memory. A streamed response waits for its client, so it holds
 * little.
 */
function unreadResponses(max: number): (outgoing: ServerResponse) => void {
  const unread = new Map<ServerResponse, number>();
  let total = 0;
  const forget = (outgoing: ServerResponse): void => {
    total -= unread.get(outgoing) ?? 0;
    unread.delete(outgoing);
  };
  return (outgoing) => {
    const length = outgoing.writableLength;
    if (length === 0 || outgoing.destroyed) return;
    unread.set(outgoing, length);
    total += length;
    outgoing.once('close', () => forget(outgoing));
    for (const oldest of unread.keys()) {
      if (total <= max) return;
      forget(oldest);
      oldest.destroy();
    }
  };
}

function startListening(server: Server, address: Address, settings: typeof PORT_AND_HOST): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => reject(new StartError(cannotListen(error, address, settings)));
    server.once('error', refuse);
    server.listen(address.port, address.host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function cannotListen(error: Error, { host, port }: Address, settings: typeof PORT_AND_HOST): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `${settings.port} ${port} is in use on ${host}: stop the program that listens there, or set another port.`;
    case 'EACCES':
      return `${settings.port} ${port} may not be used by this user. Set another one, from 1024 up.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${settings.host} is not an address of this machine: ${host}. Set one that is, such as 127.0.0.1, or 0.0.0.0 for all of them.`;
    default:
      return `The server cannot listen on ${host}, port ${port} (${reasonOf(error)}): set another ${settings.host} or ${settings.port}.`;
  }
}

export function urlOf({ port }: Pick<Address, 'port'>, host: string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Node's own `server.close()` cuts connections that look idle, and so drops requests already on their way. Here such
 * requests still get a response, with `Connection: close`.
 */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timers = [
      setTimeout(() => server.closeIdleConnections(), LAST_REQUESTS_MS),
      setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS),
    ];
    NetServer.prototype.close.call(server, () => {
      for (const timer of timers) clearTimeout(timer);
      resolve();
    });
  });
}
