import type { Socket } from 'node:net';
// Not by its name, which is taken on Bun, by a module of its own that cannot do what is needed here.
import { Client, type buildConnector } from '#undici';
import type { WebhookRequest } from '../../ports/webhook-sender.ts';
import { ResponseText } from './response-text.ts';
import { SendFailure } from './send-failure.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** HTTP/1.1 on one open socket, for one request at a time. It never opens another socket. */
export class HttpConnection {
  readonly origin: string;
  readonly address: string;
  readonly #socket: Socket;
  readonly #client: Client;

  constructor(socket: Socket, origin: string, address: string) {
    this.origin = origin;
    this.address = address;
    this.#socket = socket;
    this.#client = new Client(origin, {
      connect: connectOnce(socket),
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The attempt's own deadline counts from its start; undici's timeouts would begin anew with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Once a response was read to its end: whether the receiver leaves the connection open. */
  get reusable(): boolean {
    return !this.#socket.destroyed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /**
   * Answers as soon as the response is complete, its body is longer than what is kept, or, after the status line,
   * the connection or the time ends. Undefined: the connection was gone before anything was written.
   */
  post(path: string, request: WebhookRequest, signal: AbortSignal): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      const body = new ResponseText();
      let status: number | undefined;
      let begun = false;

      const end = (reason?: Error): void => {
        signal.removeEventListener('abort', abort);
        if (status !== undefined) resolve({ status, body: body.toString() });
        else if (reason !== undefined) reject(reason);
        else resolve(undefined);
      };
      const cut = (reason?: Error): void => {
        this.#socket.destroy();
        end(reason);
      };
      const abort = (): void => cut(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) return abort();

      this.#client.dispatch(
        { method: 'POST', path, headers: withIdentity(request.headers), body: Buffer.from(request.body) },
        {
          onRequestStart() {
            begun = true;
          },
          onResponseStart(_controller, statusCode) {
            if (statusCode >= 200) status = statusCode; // 1xx are only a beginning
          },
          onResponseData(_controller, chunk) {
            if (!body.add(chunk)) cut();
          },
          onResponseEnd: () => end(),
          onResponseError: (_controller, error) => cut(begun ? failureOf(error) : undefined),
        },
      );
    });
  }
}

/** Less than the 5 s after which Node's own and other servers close an idle connection. */
const IDLE_MS = 4_000;

/** The socket for the first call. undici asks again when it was lost, and is told that there is no other. */
function connectOnce(socket: Socket): buildConnector.connector {
  let given = false;
  return (_options, callback) => {
    if (given) return callback(new Error('The connection is gone.'), null);
    given = true;
    queueMicrotask(() => callback(null, socket)); // undici stalls when it is answered within the call
  };
}

/** A compressed body could not be shown in the log, and is never unpacked. */
function withIdentity(headers: readonly string[]): string[] {
  return [...headers, 'Accept-Encoding', 'identity'];
}

/** From TLS 1.3 on, a server's refusal of the handshake may only arrive with the first read. */
function failureOf(error: Error & { readonly code?: unknown }): SendFailure {
  const inTls = typeof error.code === 'string' && /^ERR_(SSL|TLS)_/.test(error.code);
  return new SendFailure(inTls ? 'TLS_FAILED' : 'CONNECTION_FAILED', error.message, error);
}
