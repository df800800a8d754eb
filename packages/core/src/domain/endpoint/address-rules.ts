import ipaddr from 'ipaddr.js';
import { type Ip, isIsatap, isWithin, parseAddress, rangesOf } from './ip-address.ts';

/**
 * The policy for the URLs of endpoints. `local` is for development: it also allows http, any port and loopback
 * addresses.
 */
export type UrlPolicy = 'public' | 'local';

/**
 * Whether a webhook may be sent to this address (specification, "URL rules" 4): a public address or, with `local`, a
 * loopback address. False for a text that is not an address. The library parses, and our own list decides, because
 * libraries accept as public several addresses that are not (ISATAP, `::7f00:1`, `4000::1`).
 */
export function isAllowedAddress(address: string, policy: UrlPolicy): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isPermitted(parsed.meant, policy);
}

/** The same as `isAllowedAddress`, for a parsed address. */
export function isPermitted(address: Ip, policy: UrlPolicy): boolean {
  return isPublic(address) || (policy === 'local' && isLoopback(address));
}

/** Whether a text is an IP address in a form that `parseAddress` reads. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/**
 * Whether all of a host's addresses are allowed: one refused address refuses the host. A host without addresses is
 * refused.
 */
export function areAllowedAddresses(addresses: readonly string[], policy: UrlPolicy): boolean {
  return addresses.length > 0 && addresses.every((address) => isAllowedAddress(address, policy));
}

/**
 * Ranges that are not public: those of IANA's special-purpose registry (RFC 6890), multicast, class E, and Azure's host
 * address.
 */
const NOT_PUBLIC_V4 = rangesOf(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/** The only part of IPv6 that is allocated for use on the Internet (RFC 4291, 2.4). */
const GLOBAL_UNICAST_V6 = rangesOf('2000::/3');

/**
 * The parts of `GLOBAL_UNICAST_V6` for protocol assignments (with Teredo), documentation and 6to4. Teredo and 6to4
 * carry traffic to an embedded IPv4 address.
 */
const NOT_PUBLIC_V6 = rangesOf('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

function isPublic(address: Ip): boolean {
  if (address instanceof ipaddr.IPv4) return !isWithin(address, NOT_PUBLIC_V4);
  return isWithin(address, GLOBAL_UNICAST_V6) && !isWithin(address, NOT_PUBLIC_V6) && !isIsatap(address);
}

function isLoopback(address: Ip): boolean {
  return address.range() === 'loopback';
}
