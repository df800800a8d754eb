import { Client, type buildConnector, type Dispatcher } from '#undici';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { WebhookRequest } from '../../ports/webhook-sender.ts';
import { SendFailure } from './send-failure.ts';

/** The head of a response. Names of headers are in lower case. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

interface Reading {
  /** Returns false if the body is not wanted. */
  readonly head?: (head: ResponseHead) => boolean;
  /** Returns false if the rest of the body is not wanted. */
  readonly data: (chunk: Buffer) => boolean;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** HTTP/1.1 on one open socket, for one request at a time, without ever opening another socket. */
export class HttpConnection {
  readonly origin: string;
  readonly address: string;
  readonly #socket: Socket;
  readonly #client: Client;
  #bytesBefore = 0;

  constructor(socket: Socket, origin: string, address: string) {
    this.origin = origin;
    this.address = address;
    this.#socket = socket;
    this.#client = new Client(origin, {
      connect: connectOnce(socket),
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // Disabled, because undici's timeouts start again when data comes. An attempt has a deadline for its whole time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Whether the connection is still open, so that it can carry another request after a complete response. */
  get reusable(): boolean {
    return !this.#socket.destroyed;
  }

  /** Whether a byte of the response to the last request has arrived. */
  get hasResponded(): boolean {
    return this.#socket.bytesRead > this.#bytesBefore;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /**
   * Resolves as soon as the response is complete, its body exceeds `MAX_BYTES` or, after the status line, the
   * connection or the time ends. Rejects with a SendFailure or with the signal's reason.
   */
  async post(path: string, request: WebhookRequest, signal: AbortSignal): Promise<Reply> {
    const body = new ResponseText();
    const status = await this.#exchange(
      { method: 'POST', path, headers: withIdentity(request.headers), body: Buffer.from(request.body) },
      { data: (chunk) => body.add(chunk) },
      signal,
    );
    return { status, body: body.toString() };
  }

  /** Reads what is at a path. Resolves and rejects as `post` does, with the status. */
  get(
    path: string,
    { headers, ...reading }: Reading & { readonly headers: readonly string[] },
    signal: AbortSignal,
  ): Promise<number> {
    return this.#exchange({ method: 'GET', path, headers: withIdentity(headers) }, reading, signal);
  }

  #exchange(
    options: Omit<Dispatcher.DispatchOptions, 'origin'>,
    { head, data }: Reading,
    signal: AbortSignal,
  ): Promise<number> {
    this.#bytesBefore = this.#socket.bytesRead;
    return new Promise((resolve, reject) => {
      let status: number | undefined;

      const end = (reason?: Error): void => {
        signal.removeEventListener('abort', abort);
        if (status === undefined) reject(reason ?? new SendFailure('CONNECTION_FAILED', 'It had no status.'));
        else resolve(status);
      };
      const cut = (reason?: Error): void => {
        this.#socket.destroy();
        end(reason);
      };
      const abort = (): void => cut(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) return abort();

      this.#client.dispatch(options, {
        onRequestStart() {}, // undici refuses a handler without this method
        onResponseStart(_controller, statusCode, headers) {
          if (statusCode < 200) return; // 1xx responses are interim
          status = statusCode;
          if (head && !head({ status, headers })) cut();
        },
        onResponseData(_controller, chunk) {
          if (!data(chunk)) cut();
        },
        onResponseEnd: () => end(),
        onResponseError: (_controller, error) => cut(failureOf(error)),
      });
    });
  }
}

/** Less than the 5 s after which Node's and other servers close an idle connection. */
const IDLE_MS = 4_000;

/** Returns the socket on the first call. undici asks again if the socket was lost, and then gets an error. */
function connectOnce(socket: Socket): buildConnector.connector {
  let given = false;
  return (_options, callback) => {
    if (given) return callback(new Error('The connection to the receiver is gone.'), null);
    given = true;
    queueMicrotask(() => callback(null, socket)); // undici stalls when the callback runs within the call
  };
}

/** Asks for an uncompressed body, because the log could not show a compressed body. */
function withIdentity(headers: readonly string[]): string[] {
  return [...headers, 'Accept-Encoding', 'identity'];
}

/** Since TLS 1.3, a server's refusal of the handshake may arrive only with the first read. */
function failureOf(error: Error & { readonly code?: unknown }): SendFailure {
  const inTls = typeof error.code === 'string' && /^ERR_(SSL|TLS)_/.test(error.code);
  return new SendFailure(inTls ? 'TLS_FAILED' : 'CONNECTION_FAILED', error.message, error);
}

/** The limit in bytes of the response body kept for the log. */
const MAX_BYTES = 16 * 1024;

/** Collects the beginning of a body as text that every database can store. */
class ResponseText {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** Returns false once the body exceeds `MAX_BYTES`, because the remainder need not be read. */
  add(chunk: Buffer): boolean {
    // Copy the bytes, because the chunk is a view of the socket's buffer, which is much larger.
    this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_BYTES - this.#size)));
    this.#size += chunk.length;
    return this.#size <= MAX_BYTES;
  }

  /** At most 16 KiB of UTF-8; U+FFFD replaces NUL and invalid bytes. */
  toString(): string {
    if (this.#size === 0) return '';
    const bytes = Buffer.concat(this.#chunks);
    // The decoder withholds a character that the limit has cut in two.
    const decoded = this.#size > MAX_BYTES ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
    const text = decoded.replaceAll('\0', '\uFFFD');
    // U+FFFD takes three bytes, but may replace a single byte.
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
    return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES)).read);
  }
}
