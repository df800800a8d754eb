/** The first and the last address of every refused range. */
export const REFUSED_V4: readonly { first: string; last: string; from: number; to: number }[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
].map(([first = '', last = '']) => ({ first, last, from: toNumber(first), to: toNumber(last) }));

/** IPv6 addresses that embed an IPv4 address, by notation. */
export const EMBEDDINGS: Readonly<Record<string, (v4: string) => string>> = {
  'mapped, dotted': (v4) => `::ffff:${v4}`,
  'mapped, hexadecimal': (v4) => `::ffff:${hex(v4)}`,
  'mapped, long': (v4) => `0:0:0:0:0:FFFF:${hex(v4).toUpperCase()}`,
  'NAT64, dotted': (v4) => `64:ff9b::${v4}`,
  'NAT64, hexadecimal': (v4) => `64:ff9b::${hex(v4)}`,
  'local NAT64': (v4) => `64:ff9b:1::${v4}`,
  'IPv4-compatible': (v4) => `::${v4}`,
  'IPv4-compatible, hexadecimal': (v4) => `::${hex(v4)}`,
  'IPv4-translated': (v4) => `::ffff:0:${v4}`,
  '6to4': (v4) => `2002:${hex(v4)}::1`,
  Teredo: (v4) => `2001:0:4136:e378:8000:63bf:${hex(v4)}`,
  'ISATAP, private': (v4) => `2606:4700::5efe:${v4}`,
  'ISATAP, public': (v4) => `2606:4700::200:5efe:${v4}`,
  'ISATAP, link-local': (v4) => `fe80::5efe:${v4}`,
};
export const EMBEDDING_IPV4: readonly string[] = [
  'mapped, dotted',
  'mapped, hexadecimal',
  'mapped, long',
  'NAT64, dotted',
  'NAT64, hexadecimal',
];

function toNumber(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

export function toText(address: number): string {
  return [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join('.');
}

function hex(v4: string): string {
  const address = toNumber(v4);
  return `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
}
