import ipaddr from 'ipaddr.js';

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;
/** A base address, and how many of its leading bits are compared. */
export type IpRange = readonly [base: Ip, bits: number];

export interface IpAddress {
  readonly written: Ip;
  /** The address that packets go to: the IPv4 address that `written` maps or translates, or else `written` itself. */
  readonly meant: Ip;
}

// The library also accepts octal, hexadecimal and shortened parts, which an operating system may read differently.
const DECIMAL_PARTS = '(?:0|[1-9]\\d{0,2})(?:\\.(?:0|[1-9]\\d{0,2})){3}';
const PLAIN_V4 = new RegExp(`^${DECIMAL_PARTS}$`);
const PLAIN_V6 = new RegExp(`^[0-9a-f:]{2,39}(?::${DECIMAL_PARTS})?$`, 'i');

const MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96'); // RFC 4291, 2.5.5.2
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96'); // RFC 6052

/** Reads an address in the usual notation; undefined for any other text, such as an address with a zone id. */
export function parseAddress(text: string): IpAddress | undefined {
  if (PLAIN_V4.test(text)) {
    if (!ipaddr.IPv4.isValid(text)) return undefined;
    const address = ipaddr.IPv4.parse(text);
    return { written: address, meant: address };
  }
  if (!PLAIN_V6.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const written = ipaddr.IPv6.parse(text);
  const embeds = written.match(MAPPED) || written.match(NAT64);
  return { written, meant: embeds ? new ipaddr.IPv4(written.toByteArray().slice(12)) : written };
}

/** Parses ranges that are written in the source code, such as `10.0.0.0/8`. */
export function rangesOf(...texts: readonly string[]): readonly IpRange[] {
  return texts.map((text) => ipaddr.parseCIDR(text));
}

export function isWithin(address: Ip, ranges: readonly IpRange[]): boolean {
  return ranges.some(([base, bits]) => {
    if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
    return base instanceof ipaddr.IPv6 && address.match(base, bits);
  });
}

/** Whether one of the ranges contains all of the given range. */
export function liesWithin([base, bits]: IpRange, ranges: readonly IpRange[]): boolean {
  return isWithin(
    base,
    ranges.filter(([, outerBits]) => outerBits <= bits),
  );
}

/** RFC 5214, 6.1: interface ids `::0:5efe:a.b.c.d` and `::200:5efe:a.b.c.d` are tunnels to that IPv4 address. */
export function isIsatap(address: Ip): boolean {
  if (address instanceof ipaddr.IPv4) return false;
  const [, , , , fifth, sixth] = address.parts;
  return (fifth === 0 || fifth === 0x200) && sixth === 0x5efe;
}
