import type { Socket } from 'node:net';
import { type SecureContext, type TLSSocket, connect } from 'node:tls';
import type { EndpointUrl } from '../../domain/endpoint/url-rules.ts';
import { SendFailure } from './send-failure.ts';

export interface TlsSurroundings {
  readonly context: SecureContext;
  readonly sessions: TlsSessions;
  readonly signal: AbortSignal;
  /** The deadline of the handshake, by `performance.now()`. */
  readonly end: number;
}

/**
 * Opens TLS over a connected socket, for the URL's host name. On failure or abort, destroys the socket and
 * rejects.
 */
export function secure(tcp: Socket, url: EndpointUrl, surroundings: TlsSurroundings): Promise<TLSSocket> {
  const { context, sessions, signal, end } = surroundings;
  const resumed = sessions.get(url.origin);

  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tcp,
      secureContext: context,
      // Set explicitly, because the default follows NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      // `host` is the name that the certificate must be for. `servername` is the SNI name, which cannot be an
      // address or end in a dot.
      host: url.hostname,
      servername: url.hostIsAddress ? '' : url.hostname.replace(/\.$/, ''),
      ALPNProtocols: ['http/1.1'],
      session: resumed?.session,
    });
    let verifiedAt: number | undefined;
    const timer = setTimeout(
      () => fail(new SendFailure('TIMEOUT', 'The TLS handshake was not over in the time to connect.')),
      Math.max(0, end - performance.now()),
    );
    const abort = (): void => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();

    socket.once('secureConnect', () => {
      stop();
      verifiedAt = resumed !== undefined && socket.isSessionReused() ? resumed.verifiedAt : performance.now();
      resolve(socket);
    });
    // Keep only sessions of a verified peer, because a resumed session does not check the name again.
    socket.on('session', (session) => {
      if (verifiedAt !== undefined) sessions.set(url.origin, { session, verifiedAt });
    });
    // Keep the listener for the socket's whole life, because an error without a listener would end the
    // process.
    socket.on('error', (error) => {
      if (verifiedAt === undefined) sessions.delete(url.origin);
      fail(new SendFailure('TLS_FAILED', error.message, error));
    });
    socket.once('close', () =>
      fail(new SendFailure('TLS_FAILED', 'The connection was closed during the handshake.')),
    );

    function fail(reason: Error): void {
      stop();
      socket.destroy();
      reject(reason);
    }
    function stop(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  });
}

export interface TlsSession {
  readonly session: Buffer;
  /** When the certificate of the session was last checked, by `performance.now()`. */
  readonly verifiedAt: number;
}

/**
 * TLS sessions by origin. Resuming a session saves most of a handshake. undici keeps sessions too, but by
 * weak references that are gone by the next connection.
 */
export class TlsSessions {
  readonly #byOrigin = new Map<string, TlsSession>();

  get(origin: string): TlsSession | undefined {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined && performance.now() - known.verifiedAt < SESSION_LIFETIME_MS) return known;
    this.#byOrigin.delete(origin);
    return undefined;
  }

  set(origin: string, session: TlsSession): void {
    this.#byOrigin.delete(origin);
    this.#byOrigin.set(origin, session);
    if (this.#byOrigin.size <= MAX_SESSIONS) return;
    for (const oldest of this.#byOrigin.keys()) {
      this.#byOrigin.delete(oldest);
      break;
    }
  }

  delete(origin: string): void {
    this.#byOrigin.delete(origin);
  }
}

const MAX_SESSIONS = 2_048;

/** A certificate that expires during a session is noticed within this time. */
const SESSION_LIFETIME_MS = 10 * 60 * 1000;
