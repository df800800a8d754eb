import { isAddress, judgeAddresses } from '../domain/webhook/address-rules.ts';
import type { UrlPolicy } from '../domain/webhook/url-policy.ts';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface ResolveOptions {
  /** Finds every address of a name; rejects, or answers none, where it has none. Not asked for a host that is an address. */
  readonly lookup: DnsResolver['resolve'];
  /** `public`, unless given. */
  readonly policy?: UrlPolicy | undefined;
  /** Ends the wait for the look-up. */
  readonly signal?: AbortSignal | undefined;
}

export type ResolvedHost =
  /** Connect to one of exactly these: a second look-up may answer otherwise. In the order of the look-up. */
  | { readonly ok: true; readonly addresses: readonly string[] }
  /** `unsafe`: it has an address that is not allowed, and is refused whole. `unresolved`: it has none now. */
  | {
      readonly ok: false;
      readonly reason: 'unsafe' | 'unresolved';
      readonly message: string;
      readonly cause?: unknown;
    };

/** Resolves a host once and judges all its addresses together. Rejects with the signal's reason alone. */
export async function resolveSafely(host: string, options: ResolveOptions): Promise<ResolvedHost> {
  const { lookup, policy = 'public', signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  if (isAddress(host)) return judged([host], policy);
  try {
    return judged(await unlessAborted(lookup(host, signal), signal), policy);
  } catch (cause) {
    signal.throwIfAborted();
    return { ok: false, reason: 'unresolved', message: 'The host does not resolve.', cause };
  }
}

function judged(addresses: readonly string[], policy: UrlPolicy): ResolvedHost {
  if (addresses.length === 0) {
    return { ok: false, reason: 'unresolved', message: 'The host has no address.' };
  }
  return judgeAddresses(addresses, policy)
    ? { ok: true, addresses }
    : { ok: false, reason: 'unsafe', message: 'The host has an address that is not public.' };
}
