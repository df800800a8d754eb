import { Resolver } from 'node:dns/promises';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import { unlessAborted } from '../safe-url/resolve-safely.ts';
import { hostsFile } from './hosts-file.ts';

/** The options of `nodeDnsResolver`. */
export interface NodeDnsResolverOptions {
  /** The name servers to ask, each an address with or without a port. The system's by default. */
  readonly servers?: readonly string[];
  /** The path of the hosts file; the system's by default. Name servers are not asked about the names in it. */
  readonly hostsFile?: string;
}

/** The limit for one attempt at one server; a caller stops waiting earlier if its signal is aborted. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** The errors for a name without addresses. */
const ANSWERS: readonly string[] = ['ENOTFOUND', 'ENODATA'];

/**
 * Reads the hosts file and asks the name servers directly, for any number of names concurrently. The system's
 * own lookup (`getaddrinfo`) occupies one of two threads for as long as it takes, so two names whose servers
 * do not respond would keep all others waiting, and anyone can register such names.
 */
export function nodeDnsResolver(options: NodeDnsResolverOptions = {}): DnsResolver {
  const hosts = hostsFile(options.hostsFile);
  const inFlight = new Map<string, Promise<readonly string[]>>();
  let resolver = createResolver(options.servers);

  const lookUp = async (hostname: string): Promise<readonly string[]> => {
    const named = await hosts.addressesOf(hostname);
    if (named.length > 0) return named;
    if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
    const asked = resolver;
    const answers = await Promise.allSettled([asked.resolve4(hostname), asked.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const reasons = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined));
    const failure: unknown = reasons.find((reason) => !isAnswer(reason)) ?? reasons[0];
    // A new resolver reads the system's servers again, which may have changed.
    if (!isAnswer(failure) && asked === resolver) resolver = createResolver(options.servers);
    throw failure;
  };

  return {
    async resolve(hostname, signal) {
      signal.throwIfAborted();
      // Concurrent calls for one name share a lookup. Results are not kept.
      let addresses = inFlight.get(hostname);
      if (addresses === undefined) {
        addresses = lookUp(hostname).finally(() => inFlight.delete(hostname));
        inFlight.set(hostname, addresses);
      }
      return unlessAborted(addresses, signal);
    },
  };
}

function createResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return resolver;
}

/** Whether a name means this machine, whatever name servers say (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname);
}

function isAnswer(reason: unknown): boolean {
  return reason instanceof Error && 'code' in reason && ANSWERS.includes(String(reason.code));
}
