import { isAddress, areAllowedAddresses } from '../domain/endpoint/address-rules.ts';
import type { UrlPolicy } from '../domain/endpoint/address-rules.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';

/** The options of `resolveSafely`. */
export interface ResolveOptions {
  /**
   * Finds every address of a name; if the name has no address, rejects or resolves with an empty list. Not
   * called for a host that is an address.
   */
  readonly lookup: DnsResolver['resolve'];
  /** `public` by default. */
  readonly policy?: UrlPolicy | undefined;
  /** Ends the wait for the lookup. */
  readonly signal?: AbortSignal | undefined;
}

/** The addresses of a host, or the reason why the host cannot be used. */
export type ResolvedHost =
  /**
   * Connect to one of these addresses, because a second lookup may give another result. They are in the order
   * of the lookup.
   */
  | {
      /** Whether the host can be used. */
      readonly ok: true;
      /** The addresses of the host, all permitted. */
      readonly addresses: readonly string[];
    }
  /**
   * `unsafe`: an address of the host is not allowed, so the host is refused. `unresolved`: the host has no
   * address now.
   */
  | {
      /** Whether the host can be used. */
      readonly ok: false;
      /** `unsafe` if an address is not permitted, `unresolved` if no address was found. */
      readonly reason: 'unsafe' | 'unresolved';
      /** The reason as a sentence. */
      readonly message: string;
      /** The error of the lookup, if it failed. */
      readonly cause?: unknown;
    };

/** Resolves a host once and checks all of its addresses. Rejects only with the signal's reason. */
export function resolveSafely(host: string, options: ResolveOptions): Promise<ResolvedHost> {
  const { lookup, policy = 'public', signal = new AbortController().signal } = options;
  return resolveHost(host, {
    lookup,
    signal,
    accepts: (addresses) => areAllowedAddresses(addresses, policy),
  });
}

/** Like `resolveSafely`, but with the caller's rules: `accepts` decides about all addresses together. */
export async function resolveHost(
  host: string,
  {
    lookup,
    accepts,
    signal,
  }: {
    readonly lookup: DnsResolver['resolve'];
    readonly accepts: (addresses: readonly string[]) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<ResolvedHost> {
  signal.throwIfAborted();
  let addresses: readonly string[];
  try {
    addresses = isAddress(host) ? [host] : await unlessAborted(lookup(host, signal), signal);
  } catch (cause) {
    signal.throwIfAborted();
    return { ok: false, reason: 'unresolved', message: 'The host does not resolve.', cause };
  }
  if (addresses.length === 0) {
    return { ok: false, reason: 'unresolved', message: 'The host has no address.' };
  }
  return accepts(addresses)
    ? { ok: true, addresses }
    : { ok: false, reason: 'unsafe', message: 'The host has an address that is not public.' };
}

/** Settles as `promise` does, or rejects with the signal's reason once the signal is aborted. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
