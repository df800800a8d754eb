import { networkInterfaces } from 'node:os';
import type { OwnAddress } from '../domain/webhook/host-rules.ts';

/** Every IPv4 address that a machine has on its loopback interface without configuration, on Linux. */
const LOOPBACK_V4 = '127.0.0.0/8';
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/**
 * Every address at which a server on this machine can be reached that listens at `address`, as `server.address()` has it,
 * for the option `ownAddresses`. A server that listens on `0.0.0.0` or `::` can be reached at each interface's address of
 * this moment.
 *
 * With `onPort`, the list is empty if the server listens on another port. Most webhooks go to another one, and listing the
 * interfaces takes about as long as signing a webhook ten times.
 *
 * @example ownAddresses: (port) => listeningAddresses(server.address(), port)
 */
export function listeningAddresses(
  { address, port }: { readonly address: string; readonly port: number },
  onPort: number = port,
): readonly OwnAddress[] {
  if (port !== onPort) return [];
  const everywhere = UNSPECIFIED.includes(address);
  const hosts = everywhere ? [LOOPBACK_V4, '::1', ...interfaceAddresses()] : [address];
  // To connect to an unspecified address is to connect to this machine.
  return [...new Set([...UNSPECIFIED, ...hosts])].map((host) => ({ host, port }));
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}
