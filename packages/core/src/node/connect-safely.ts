import type { Socket } from 'node:net';
import type { UrlPolicy } from '../domain/endpoint/address-rules.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import type { SafeUrl } from '../safe-url/index.ts';
import { nodeDnsResolver } from './dns-resolver.ts';
import { secureContext, type TlsOptions } from './webhook-sender/connector.ts';
import { findTarget } from './webhook-sender/target.ts';
import { connectTcp } from './webhook-sender/tcp.ts';
import { TlsSessions, secure } from './webhook-sender/tls.ts';

/** The options of `connectSafely`. */
export interface ConnectSafelyOptions {
  /** Aborts the lookup, the connection attempt or the TLS handshake. */
  readonly signal: AbortSignal;
  /** `public` by default. */
  readonly policy?: UrlPolicy | undefined;
  /** The system's resolver by default. */
  readonly dns?: DnsResolver | undefined;
  /** Milliseconds for the TCP connection and the TLS handshake. 3,000 by default. */
  readonly connectMs?: number | undefined;
  /** Authorities to trust on https, in addition to the public ones. */
  readonly tls?: TlsOptions | undefined;
}

/** A connection to a checked address. */
export interface SafeConnection {
  /** The parsed URL. */
  readonly url: SafeUrl;
  /** A `TLSSocket` of a verified peer if the URL is https. The caller has to end the socket. */
  readonly socket: Socket;
  /** The checked address that the socket is connected to. */
  readonly address: string;
}

/**
 * Connects to the host of a URL that another party chose. Checks the URL and every address of its host, and connects to
 * one of the checked addresses, without a second lookup in between. Uses no proxy.
 *
 * Rejects with an error that has a `code`: UNSAFE_URL, DNS_FAILED, CONNECTION_FAILED, TIMEOUT or TLS_FAILED; or with the
 * signal's reason.
 */
export async function connectSafely(url: string, options: ConnectSafelyOptions): Promise<SafeConnection> {
  const { signal, policy = 'public', dns = nodeDnsResolver(), connectMs = 3_000, tls } = options;
  const target = await findTarget({ url, urlPolicy: policy }, dns, signal);
  const end = performance.now() + connectMs;
  const { socket: tcp, address } = await connectTcp(target, connectMs, signal);
  if (!target.url.secure) return { url: target.url, socket: tcp, address };
  const context = secureContext(tls?.ca ?? []);
  const socket = await secure(tcp, target.url, { context, sessions: new TlsSessions(), signal, end });
  return { url: target.url, socket, address };
}
