import ipaddr from 'ipaddr.js';
import type { UrlPolicy } from './url-policy.ts';

/**
 * Whether a webhook may be sent to this address (specification, "URL rules" 4). The library parses; the judgement
 * is our own list, because libraries call several addresses public that are not (ISATAP, `::7f00:1`, `4000::1`).
 */
export function judgeAddress(address: string, policy: UrlPolicy): boolean {
  const parsed = parse(address);
  if (parsed === undefined) return false;
  return isPublic(parsed) || (policy === 'local' && isLoopback(parsed));
}

/** Whether a text is an IP address, in one of the forms that are judged. */
export function isAddress(text: string): boolean {
  return parse(text) !== undefined;
}

/** All of a host's addresses together: one that is refused refuses the host, and so does having none. */
export function judgeAddresses(addresses: readonly string[], policy: UrlPolicy): boolean {
  return addresses.length > 0 && addresses.every((address) => judgeAddress(address, policy));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

// The library also takes octal, hexadecimal and shortened parts, which an operating system may read otherwise.
const DECIMAL_PARTS = '(?:0|[1-9]\\d{0,2})(?:\\.(?:0|[1-9]\\d{0,2})){3}';
const PLAIN_V4 = new RegExp(`^${DECIMAL_PARTS}$`);
const PLAIN_V6 = new RegExp(`^[0-9a-f:]{2,39}(?::${DECIMAL_PARTS})?$`, 'i');

/** The address to judge: the IPv4 inside where one is mapped or translated. A zone id is not an address. */
function parse(text: string): Address | undefined {
  if (PLAIN_V4.test(text)) return ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : undefined;
  if (!PLAIN_V6.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  if (address.match(MAPPED) || address.match(NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(12));
  return address;
}

const MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96'); // RFC 4291, 2.5.5.2
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96'); // RFC 6052

/** IANA's special-purpose registry (RFC 6890) in its present state, multicast, class E, and Azure's host address. */
const NOT_PUBLIC_V4 = [
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
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** The only part of IPv6 that is given out for use on the Internet (RFC 4291, 2.4) … */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** … less what in it is documentation, or carries traffic to an IPv4 address that it names (Teredo, 6to4). */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !NOT_PUBLIC_V4.some((range) => address.match(range));
  return (
    address.match(GLOBAL_UNICAST_V6) &&
    !NOT_PUBLIC_V6.some((range) => address.match(range)) &&
    !isIsatap(address)
  );
}

/** RFC 5214, 6.1: interface ids `::0:5efe:a.b.c.d` and `::200:5efe:a.b.c.d` are tunnels to that IPv4 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , fifth, sixth] = address.parts;
  return (fifth === 0 || fifth === 0x200) && sixth === 0x5efe;
}

function isLoopback(address: Address): boolean {
  return address.range() === 'loopback';
}
