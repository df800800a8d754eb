import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { WebhookRequest, WebhookResponse, WebhookSender } from '../../ports/webhook-sender.ts';
import { createConnector, type TlsOptions } from './connector.ts';
import type { HttpConnection } from './http-connection.ts';
import { KeptConnections } from './kept-connections.ts';
import { SendFailure } from './send-failure.ts';
import { findTarget, type Target } from './target.ts';

/** The options of `undiciWebhookSender`. */
export interface UndiciWebhookSenderOptions {
  /** Resolves the hosts of webhooks. */
  readonly dns: DnsResolver;
  /** Authorities to trust on https, in addition to the public ones. */
  readonly tls?: TlsOptions;
  /** How long the parts of an attempt may take. */
  readonly timeouts?: WebhookTimeouts;
  /** The maximum number of idle connections, each of which is closed after 4 seconds. 2,048 by default. */
  readonly maxIdleConnections?: number;
}

/** Milliseconds. The defaults are the specification's ("Receiver response and delivery behaviour"). */
export interface WebhookTimeouts {
  /**
   * The limit from the call until the status line; a body that is still arriving then is cut off. 10,000 by
   * default.
   */
  readonly totalMs?: number;
  /** The part of `totalMs` that the TCP connection and the TLS handshake may take. 3,000 by default. */
  readonly connectMs?: number;
}

/**
 * Sends webhooks over HTTP/1.1 with undici. The name is resolved once per attempt, every address is checked,
 * and the connection goes to a checked address, so there is no second lookup that could give another result.
 * Redirects are not followed, bodies are not decompressed, and proxies in the environment are not used. A
 * request on a reused connection is sent once more, on a new connection, if the reused connection ends before
 * the first byte of the response.
 */
export function undiciWebhookSender(options: UndiciWebhookSenderOptions): WebhookSender {
  const { totalMs = 10_000, connectMs = 3_000 } = options.timeouts ?? {};
  const connector = createConnector({ connectMs, tls: options.tls });
  const kept = new KeptConnections(options.maxIdleConnections ?? 2_048);
  const inFlight = new Set<AbortController>();
  let closed = false;

  async function attempt(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse> {
    const target = await findTarget(request, options.dns, signal);
    const reused = kept.take(target);
    if (reused !== undefined) {
      try {
        return await exchange(reused, target, request, signal);
      } catch (error) {
        // A receiver may close an idle connection just as a request goes out, which does not count as its
        // failure.
        if (signal.aborted || reused.hasResponded) throw error;
      }
    }
    return exchange(await open(target, signal), target, request, signal);
  }

  async function exchange(
    connection: HttpConnection,
    target: Target,
    request: WebhookRequest,
    signal: AbortSignal,
  ): Promise<WebhookResponse> {
    const { status, body } = await connection.post(target.url.path, request, signal);
    if (connection.reusable) kept.keep(connection);
    return evaluate(status, body);
  }

  async function open(target: Target, signal: AbortSignal): Promise<HttpConnection> {
    const connection = await connector.connect(target, signal);
    connection.onClose(() => kept.forget(connection));
    return connection;
  }

  return {
    async send(request, onFailure) {
      const abort = new AbortController();
      if (closed) abort.abort(senderClosed());
      const deadline = setTimeout(() => abort.abort(tooLate(totalMs)), totalMs);
      inFlight.add(abort);
      try {
        return await attempt(request, abort.signal);
      } catch (error) {
        onFailure?.(error);
        const errorCode = error instanceof SendFailure ? error.code : 'CONNECTION_FAILED';
        return { errorCode, responseStatus: null, responseBody: null };
      } finally {
        clearTimeout(deadline);
        inFlight.delete(abort);
      }
    },
    open() {
      closed = false;
    },
    async close() {
      closed = true;
      for (const abort of inFlight) abort.abort(senderClosed());
      await connector.close();
    },
  };
}

/** Any 2xx is a success, whether or not its body arrives. */
function evaluate(status: number, responseBody: string): WebhookResponse {
  const errorCode = status < 300 ? null : status < 400 ? 'REDIRECT' : 'HTTP_ERROR';
  return { errorCode, responseStatus: status, responseBody };
}

function tooLate(totalMs: number): SendFailure {
  return new SendFailure('TIMEOUT', `There was no response within ${totalMs} ms.`);
}

function senderClosed(): SendFailure {
  return new SendFailure('CONNECTION_FAILED', 'Trunkline was stopped before the receiver had responded.');
}
