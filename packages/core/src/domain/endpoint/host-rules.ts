import { isPermitted } from './address-rules.ts';
import type { UrlPolicy } from './address-rules.ts';
import { hostList, isTunnel, listsAddress, namesDomainOf, namesHost, type HostList } from './host-list.ts';
import { isWithin, liesWithin, parseAddress, rangesOf, type IpAddress } from './ip-address.ts';

export interface UrlRules {
  readonly urlPolicy: UrlPolicy;
  /** The operator's decisions about hosts. If omitted, only the policy decides. */
  readonly hosts?: HostRules | undefined;
}

export interface HostRules {
  readonly allow: HostList;
  readonly deny: HostList;
  /** The current addresses of the service itself, at least those on this port. */
  readonly own: (port: number) => readonly OwnAddress[];
}

/** One place where the service itself can be reached. */
export interface OwnAddress {
  /** A host name, an address, or a range of addresses in CIDR notation. */
  readonly host: string;
  /** The TCP port. */
  readonly port: number;
}

export interface Destination {
  readonly hostname: string;
  readonly secure: boolean;
  readonly port: number;
}

/**
 * Whether a webhook may be sent to this destination. `addresses` are all addresses of its host: one refused address
 * refuses the host, and a host without addresses is refused. Hosts that the operator denies are refused first, then the
 * service's own addresses, then addresses that neither the policy nor the operator allows.
 */
export function mayReach(
  destination: Destination,
  addresses: readonly string[],
  { urlPolicy, hosts }: UrlRules,
): boolean {
  const parsed = addresses.map(parseAddress).filter((address) => address !== undefined);
  if (parsed.length === 0 || parsed.length < addresses.length) return false;
  if (hosts !== undefined) {
    if (namesDomainOf(hosts.deny, destination.hostname)) return false;
    if (parsed.some((address) => listsAddress(hosts.deny, address))) return false;
    if (isOwn(destination, parsed, hosts.own(destination.port))) return false;
  }
  const byPolicy = isUsual(destination) || urlPolicy === 'local';
  return parsed.every(
    (address) =>
      (byPolicy && isPermitted(address.meant, urlPolicy)) ||
      (hosts !== undefined && isAllowed(destination, address, hosts.allow)),
  );
}

/** Whether the scheme and port are those of the specification ("URL rules" 1 and 2). */
export function isUsual({ secure, port }: Destination): boolean {
  return secure && (port === 443 || port === 8443);
}

/** Whether http or an unusual port may be accepted, as far as is known before the host is resolved. */
export function mayBeUnusual(destination: Destination, { urlPolicy, hosts }: UrlRules): boolean {
  if (urlPolicy === 'local') return true;
  if (hosts === undefined) return false;
  if (namesHost(hosts.allow, destination.hostname)) return true;
  const literal = parseAddress(destination.hostname);
  return literal === undefined ? hosts.allow.ranges.length > 0 : isWithin(literal.meant, hosts.allow.ranges);
}

/**
 * Ranges that only an entry within them allows; a host name or a wider range does not. They are this host and network,
 * link-local addresses, the metadata services of clouds (Azure, Alibaba, Oracle; AWS and Google on IPv6), multicast and
 * reserved addresses. A client that reaches a metadata service can read the machine's credentials.
 */
const GUARDED = rangesOf(
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::/10',
  'ff00::/8',
);

function isAllowed({ hostname }: Destination, { meant }: IpAddress, allow: HostList): boolean {
  if (isTunnel(meant)) return false;
  const ranges = allow.ranges.filter((range) => isWithin(meant, [range]));
  if (isWithin(meant, GUARDED)) return ranges.some((range) => liesWithin(range, GUARDED));
  return ranges.length > 0 || namesHost(allow, hostname);
}

function isOwn(
  { hostname, port }: Destination,
  addresses: readonly IpAddress[],
  own: readonly OwnAddress[],
): boolean {
  const hosts = hostList(own.filter((address) => address.port === port).map(({ host }) => host));
  return namesHost(hosts, hostname) || addresses.some((address) => listsAddress(hosts, address));
}
