import { lookup } from 'node:dns/promises';
import type { DnsResolver } from '../ports/dns-resolver.ts';
import { unlessAborted } from '../safe-url/unless-aborted.ts';

/**
 * Asks the system (`getaddrinfo`), so that /etc/hosts and the rest of its configuration count. Look-ups run on
 * libuv's thread pool, half of which they may hold: where many hosts are slow to resolve, raise UV_THREADPOOL_SIZE or
 * give a resolver of your own.
 */
export function nodeDnsResolver(): DnsResolver {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return {
    async resolve(hostname, signal) {
      signal.throwIfAborted();
      // A look-up cannot be cancelled, only left behind: the next one for the same name then joins it.
      let addresses = underWay.get(hostname);
      if (addresses === undefined) {
        addresses = lookUp(hostname).finally(() => underWay.delete(hostname));
        underWay.set(hostname, addresses);
      }
      return unlessAborted(addresses, signal);
    },
  };
}

/** In the order of RFC 6724, which puts last what this machine has no route to. */
async function lookUp(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
