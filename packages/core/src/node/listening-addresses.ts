import { networkInterfaces } from 'node:os';
import type { OwnAddress } from '../domain/endpoint/host-rules.ts';

/** All IPv4 addresses that the loopback interface has by default on Linux. */
const LOOPBACK_V4 = '127.0.0.0/8';
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/**
 * Lists every address at which a server on this machine can be reached, for the option `ownAddresses`. Pass what
 * `server.address()` returns. A server that listens on `0.0.0.0` or `::` can be reached at the current addresses of all
 * interfaces.
 *
 * With `onPort`, the list is empty if the server listens on another port. Most webhooks go to another port, and listing
 * the interfaces takes as long as signing about ten webhooks.
 *
 * @example ownAddresses: (port) => listeningAddresses(server.address(), port)
 */
export function listeningAddresses(
  {
    address,
    port,
  }: {
    /** The address that the server is bound to. */
    readonly address: string;
    /** The port that the server listens on. */
    readonly port: number;
  },
  onPort: number = port,
): readonly OwnAddress[] {
  if (port !== onPort) return [];
  const everywhere = UNSPECIFIED.includes(address);
  const hosts = everywhere ? [LOOPBACK_V4, '::1', ...interfaceAddresses()] : [address];
  // A connection to an unspecified address reaches this machine.
  return [...new Set([...UNSPECIFIED, ...hosts])].map((host) => ({ host, port }));
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}
