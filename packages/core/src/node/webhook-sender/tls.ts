import type { Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import type { WebhookUrl } from '../../domain/webhook/url-rules.ts';
import { SendFailure } from './send-failure.ts';
import type { TlsSessions } from './tls-sessions.ts';

export interface TlsSurroundings {
  readonly context: SecureContext;
  readonly sessions: TlsSessions;
  readonly signal: AbortSignal;
}

/** TLS over a connected socket, for the URL's host name. Rejects with a SendFailure and destroys the socket. */
export function secure(tcp: Socket, url: WebhookUrl, surroundings: TlsSurroundings): Promise<TLSSocket> {
  const { context, sessions, signal } = surroundings;
  const resumed = sessions.get(url.origin);

  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tcp,
      secureContext: context,
      // Written out, for its default is NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      // The name that the certificate must be for, and the one in SNI, which has neither addresses nor a last dot.
      host: url.hostname,
      servername: url.hostIsAddress ? '' : url.hostname.replace(/\.$/, ''),
      ALPNProtocols: ['http/1.1'],
      session: resumed?.session,
    });
    let verifiedAt: number | undefined;
    const abort = (): void => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();

    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      verifiedAt = resumed !== undefined && socket.isSessionReused() ? resumed.verifiedAt : performance.now();
      resolve(socket);
    });
    // Only of a verified peer: the name is not checked again on a resumed session. Node holds tickets back until then.
    socket.on('session', (session) => {
      if (verifiedAt !== undefined) sessions.set(url.origin, { session, verifiedAt });
    });
    // Stays for the socket's whole life: an error that nobody listens to would end the process.
    socket.on('error', (error) => {
      if (verifiedAt === undefined) sessions.delete(url.origin);
      fail(new SendFailure('TLS_FAILED', error.message, error));
    });
    socket.once('close', () =>
      fail(new SendFailure('TLS_FAILED', 'The connection was closed during the handshake.')),
    );

    function fail(reason: Error): void {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(reason);
    }
  });
}
