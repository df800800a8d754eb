import ipaddr from 'ipaddr.js';
import {
  isIsatap,
  isWithin,
  liesWithin,
  parseAddress,
  rangesOf,
  type Ip,
  type IpAddress,
  type IpRange,
} from './ip-address.ts';

export interface HostList {
  /** Names as `normalHost` returns them. */
  readonly names: readonly string[];
  /** The ends of names: `.example.com` for `*.example.com`. */
  readonly suffixes: readonly string[];
  readonly ranges: readonly IpRange[];
}

export const NO_HOSTS: HostList = { names: [], suffixes: [], ranges: [] };

/**
 * The flaw of an entry of `webhookAllow` or `webhookDeny`, worded to follow the entry in a sentence; undefined if there
 * is no flaw. An entry is a host name, `*.` and a domain for all of its subdomains, an address, or a range in CIDR
 * notation.
 */
export function flawInHostEntry(list: 'allow' | 'deny', entry: string): string | undefined {
  const range = rangeIn(entry);
  if (range === undefined) return nameIn(entry) === undefined ? UNREADABLE : undefined;
  if (liesWithin(range, EMBEDS_IPV4)) return `${IPV4_INSIDE}; list that IPv4 address or range`;
  return list === 'allow' && isTunnelRange(range)
    ? `${IPV4_INSIDE}, and such addresses are never allowed`
    : undefined;
}

const UNREADABLE =
  'is not a host name (n8n, *.internal.example.com), an address (10.1.2.3) or a range (10.1.0.0/16, fd00::/8); give no scheme, port or path';
const IPV4_INSIDE = 'is of IPv6 addresses that stand for an IPv4 address';

/**
 * Parses the entries. Throws a RangeError for an entry that is not a name, an address or a range.
 */
export function hostList(entries: readonly string[]): HostList {
  const names: string[] = [];
  const suffixes: string[] = [];
  const ranges: IpRange[] = [];
  for (const entry of entries) {
    const range = rangeIn(entry);
    const name = range === undefined ? nameIn(entry) : undefined;
    if (range !== undefined) ranges.push(range);
    else if (name === undefined) throw new RangeError(`${JSON.stringify(entry)} ${UNREADABLE}`);
    else if (name.startsWith('*')) suffixes.push(name.slice(1));
    else names.push(name);
  }
  return { names, suffixes, ranges };
}

/** Whether a host is listed by its name, or by a `*.` entry. */
export function namesHost({ names, suffixes }: HostList, hostname: string): boolean {
  const host = normalHost(hostname);
  return names.includes(host) || suffixes.some((suffix) => host.endsWith(suffix));
}

/** Whether a host is listed as in `namesHost`, or one of its parent domains by its name. */
export function namesDomainOf(list: HostList, hostname: string): boolean {
  const host = normalHost(hostname);
  return namesHost(list, host) || list.names.some((name) => host.endsWith(`.${name}`));
}

/** Whether an address is listed, as written or as the IPv4 address that it embeds. */
export function listsAddress({ ranges }: HostList, { written, meant }: IpAddress): boolean {
  return isWithin(meant, ranges) || isWithin(written, ranges);
}

/** `A.example.` and `a.example` are one host. */
function normalHost(hostname: string): string {
  let end = hostname.length;
  while (hostname[end - 1] === '.') end -= 1;
  return hostname.slice(0, end).toLowerCase();
}

function rangeIn(entry: string): IpRange | undefined {
  const [, text = entry, bits] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(entry) ?? [];
  const address = parseAddress(text)?.written;
  if (address === undefined) return undefined;
  const most = address instanceof ipaddr.IPv4 ? 32 : 128;
  const count = Number(bits ?? most);
  return count <= most ? [address, count] : undefined;
}

/** The host name in an entry, in ASCII as in URLs, with the `*.` that may precede it. */
function nameIn(entry: string): string | undefined {
  const [, star = '', name = ''] = /^(\*\.)?([^\s*:/?#@[\]\\%]+)$/.exec(entry) ?? [];
  const host = normalHost(URL.parse(`https://${name}/`)?.hostname ?? '');
  return NAME.test(host) && !ENDS_IN_NUMBER.test(host) ? star + host : undefined;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
/** Hosts that URL parsers read as an IPv4 address (WHATWG URL, "ends in a number"). */
const ENDS_IN_NUMBER = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/** Addresses that are always read as the embedded IPv4 address. */
const EMBEDS_IPV4 = rangesOf('::ffff:0:0/96', '64:ff9b::/96');

/** IPv4-compatible (RFC 4291, 2.5.5.1), IPv4-translated (RFC 2765), local NAT64 (RFC 8215), Teredo (RFC 4380) and 6to4 (RFC 3056). */
const TUNNELS = rangesOf('::/96', '::ffff:0:0:0/96', '64:ff9b:1::/48', '2001::/32', '2002::/16');
const LOOPBACK_AND_UNSPECIFIED = rangesOf('::/127');

/** Whether traffic to this address may end at an embedded IPv4 address, which a list would not recognise. */
export function isTunnel(address: Ip): boolean {
  return isTunnelRange([address, 128]);
}

function isTunnelRange(range: IpRange): boolean {
  const [base, bits] = range;
  if (liesWithin(range, LOOPBACK_AND_UNSPECIFIED)) return false;
  return liesWithin(range, TUNNELS) || (bits >= 96 && isIsatap(base));
}
