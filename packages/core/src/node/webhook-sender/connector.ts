import { once } from 'node:events';
import type { Socket } from 'node:net';
// Default import: Node below 22.15 lacks `getCACertificates`, and a named import would fail before the version check.
import tls, { type SecureContext } from 'node:tls';
import type { HttpConnection } from './http-connection.ts';
import type { Target } from './target.ts';
import { connectTcp } from './tcp.ts';
import { TlsSessions, secure } from './tls.ts';

/** Authorities to trust on https. */
export interface TlsOptions {
  /**
   * Certificates (PEM) of private authorities to trust in addition to the public ones. Verification cannot be
   * turned off.
   */
  readonly ca?: readonly string[];
}

export interface Connector {
  /** Opens a connection to one of the target's addresses. Rejects with a SendFailure. */
  connect(target: Target, signal: AbortSignal): Promise<HttpConnection>;
  close(): Promise<void>;
}

export function createConnector(options: { connectMs: number; tls: TlsOptions | undefined }): Connector {
  const ca = options.tls?.ca ?? [];
  // Configured certificates are checked immediately; the public ones are parsed when a webhook needs them.
  let context = ca.length > 0 ? secureContext(ca) : undefined;
  const sessions = new TlsSessions();
  const open = new Set<Socket>();

  return {
    async connect(target, signal) {
      // Import on first use, because undici's client is large, but before the socket exists, because its
      // errors need a listener.
      const { HttpConnection: Connection } = await import('./http-connection.ts');
      const end = performance.now() + options.connectMs;
      const { socket: tcp, address } = await connectTcp(target, options.connectMs, signal);
      open.add(tcp);
      tcp.once('close', () => open.delete(tcp));
      if (!target.url.secure) return new Connection(tcp, target.url.origin, address);
      context ??= secureContext(ca);
      const socket = await secure(tcp, target.url, { context, sessions, signal, end });
      return new Connection(socket, target.url.origin, address);
    },
    async close() {
      const closing = [...open].map((socket) => once(socket, 'close'));
      for (const socket of open) socket.destroy();
      await Promise.all(closing);
    },
  };
}

/** Creates a context. Connections share it, because creating it parses every authority's certificate. */
export function secureContext(ca: readonly string[]): SecureContext {
  return tls.createSecureContext({
    minVersion: 'TLSv1.2',
    // `ca` replaces the public authorities, so they are added to `ca`.
    ...(ca.length > 0 ? { ca: [...tls.getCACertificates('default'), ...ca] } : {}),
  });
}
