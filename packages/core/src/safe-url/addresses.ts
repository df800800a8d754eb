import { judgeAddress } from '../domain/webhook/address-rules.ts';
import type { UrlPolicy } from '../domain/webhook/address-rules.ts';

/**
 * Whether an address, as text, is one of the Internet: not private, loopback, link-local, multicast, reserved or for
 * documentation, in IPv4 and IPv6, whatever way an IPv4 address is written inside an IPv6 one. False for what is no
 * address, such as `127.1` or one with a zone.
 */
export function isPublicAddress(address: string): boolean {
  return judgeAddress(address, 'public');
}

/** The same, where `local` allows loopback too. */
export function isAllowedAddress(address: string, policy: UrlPolicy): boolean {
  return judgeAddress(address, policy);
}
