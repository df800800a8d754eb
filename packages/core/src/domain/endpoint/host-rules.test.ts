import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMBEDDINGS, EMBEDDING_IPV4, REFUSED_V4, toText } from '../../../test/support/ipv4-addresses.ts';
import { areAllowedAddresses } from './address-rules.ts';
import type { UrlPolicy } from './address-rules.ts';
import { NO_HOSTS, hostList } from './host-list.ts';
import { mayReach, type OwnAddress } from './host-rules.ts';

interface Given {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly own?: readonly OwnAddress[];
  readonly policy?: UrlPolicy;
}

function reaches(url: string, addresses: readonly string[], given: Given): boolean {
  const { hostname, protocol, port } = new URL(url);
  const secure = protocol === 'https:';
  return mayReach({ hostname, secure, port: Number(port || (secure ? 443 : 80)) }, addresses, {
    urlPolicy: given.policy ?? 'public',
    hosts: {
      allow: hostList(given.allow ?? []),
      deny: hostList(given.deny ?? []),
      own: () => given.own ?? [],
    },
  });
}

const anyV4 = fc.integer({ min: 0, max: 0xffffffff }).map(toText);
const embedded = fc.constantFrom(...Object.values(EMBEDDINGS));
const anyAddress = fc.oneof(
  anyV4,
  fc.ipV6(),
  fc.tuple(anyV4, embedded).map(([address, embed]) => embed(address)),
);
/** Ranges that stay refused even if a wider range or the host's name is on the allow list. */
const GUARDED_V4 = REFUSED_V4.filter(({ first }) =>
  ['0.0.0.0', '168.63.129.16', '169.254.0.0', '224.0.0.0', '240.0.0.0'].includes(first),
);

/** Guarded addresses of metadata services, within ranges that are otherwise not guarded. */
const METADATA_V4 = ['100.100.100.200', '192.0.0.192'];

describe('the URL of an endpoint where the operator has listed no host', () => {
  it.each<UrlPolicy>(['public', 'local'])('the policy %s alone decides', (policy) => {
    fc.assert(
      fc.property(fc.array(anyAddress, { maxLength: 3 }), (addresses) => {
        expect(reaches('https://hooks.test/', addresses, { policy })).toBe(
          areAllowedAddresses(addresses, policy),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('an allowed range', () => {
  describe.each(REFUSED_V4)('$first to $last', ({ first, last, from, to }) => {
    const allow = cidrsOf(from, to);

    it('opens each of its addresses, and no other, over http and on any port', () => {
      for (const address of [first, last]) {
        expect(reaches('http://n8n:5678/', [address], { allow })).toBe(true);
        expect(reaches('https://n8n/', [address], { allow })).toBe(true);
      }
      for (const neighbour of [from - 1, to + 1]) {
        if (neighbour >= 0 && neighbour <= 0xffffffff)
          expect(reaches('http://n8n:5678/', [toText(neighbour)], { allow })).toBe(false);
      }
    });

    it.each(Object.entries(EMBEDDINGS))(
      'opens an address as %s only if packets go to that address',
      (name, embed) => {
        fc.assert(
          fc.property(fc.integer({ min: from, max: to }).map(toText), (address) => {
            const expected = EMBEDDING_IPV4.includes(name) && !METADATA_V4.includes(address);
            expect(reaches('https://n8n/', [embed(address)], { allow })).toBe(expected);
          }),
          { numRuns: 20 },
        );
      },
    );

    it.each(Object.entries(EMBEDDINGS))('denied is refused as %s whatever is allowed', (_name, embed) => {
      const everything = { allow: ['0.0.0.0/0', '::/0', ...allow, 'n8n'], deny: allow };
      fc.assert(
        fc.property(fc.integer({ min: from, max: to }).map(toText), (address) => {
          // `::1` does not embed an IPv4 address.
          if (embed(address) === '::0:1') return;
          expect(reaches('https://n8n/', [address], everything)).toBe(false);
          expect(reaches('https://n8n/', [embed(address)], everything)).toBe(false);
        }),
        { numRuns: 20 },
      );
    });
  });

  it('opens http to a name only if it has all of its addresses', () => {
    const allow = ['172.18.0.0/16'];
    expect(reaches('http://n8n:5678/', ['172.18.0.3', '172.18.0.4'], { allow })).toBe(true);
    expect(reaches('http://n8n:5678/', ['172.18.0.3', '8.8.8.8'], { allow })).toBe(false);
    expect(reaches('https://n8n/', ['172.18.0.3', '8.8.8.8'], { allow })).toBe(true);
    expect(reaches('https://n8n/', ['172.18.0.3', '172.19.0.3'], { allow })).toBe(false);
    expect(reaches('http://n8n:5678/', [], { allow })).toBe(false);
  });

  it.each([
    ['169.254.169.254', ['0.0.0.0/0'], false],
    ['169.254.169.254', ['169.254.0.0/15'], false],
    ['169.254.169.254', ['169.254.0.0/16'], true],
    ['169.254.169.254', ['169.254.169.254'], true],
    ['169.254.169.253', ['169.254.169.254'], false],
    ['168.63.129.16', ['168.63.0.0/16'], false],
    ['168.63.129.16', ['168.63.129.16'], true],
    ['100.100.100.200', ['100.64.0.0/10'], false],
    ['100.100.100.201', ['100.64.0.0/10'], true],
    ['192.0.0.192', ['192.0.0.0/24'], false],
    ['0.0.0.0', ['0.0.0.0/0'], false],
    ['255.255.255.255', ['128.0.0.0/1'], false],
    ['fe80::1', ['::/0'], false],
    ['fe80::1', ['fe80::/9'], false],
    ['fe80::1', ['fe80::/64'], true],
    ['fd00:ec2::254', ['fd00::/8'], false],
    ['fd00:ec2::254', ['fd00:ec2::254'], true],
    ['fd20:ce::254', ['fc00::/7'], false],
    ['fd00:ec2::255', ['fd00::/8'], true],
    ['::1', ['::1'], true],
    ['::', ['::/0'], false],
    ['ff02::1', ['::/0'], false],
    ['10.0.0.1', ['::/0'], false],
    ['::ffff:10.0.0.1', ['::/0'], false],
    ['2002:a00:1::', ['::/0'], false],
    ['64:ff9b:1::a00:1', ['::/0'], false],
    ['::7f00:1', ['::/0'], false],
  ])('reaches %s through %j: %s', (address, allow, expected) => {
    expect(reaches('https://n8n/', [address], { allow })).toBe(expected);
  });
});

describe('an allowed name', () => {
  it.each([
    ['http://n8n:5678/', ['n8n'], true],
    ['http://N8N.:5678/', ['n8n'], true],
    ['http://a.n8n:5678/', ['n8n'], false],
    ['http://n8n.evil.test:5678/', ['n8n'], false],
    ['http://a.internal.test/', ['*.internal.test'], true],
    ['http://a.b.internal.test./', ['*.Internal.Test'], true],
    ['http://internal.test/', ['*.internal.test'], false],
    ['http://evilinternal.test/', ['*.internal.test'], false],
    ['http://bücher.test/', ['Bücher.test'], true],
  ])('opens %s by %j: %s', (url, allow, expected) => {
    for (const address of ['10.0.0.1', '127.0.0.1', 'fd00::1', '8.8.8.8', '::ffff:10.0.0.1'])
      expect(reaches(url, [address], { allow })).toBe(expected);
  });

  it('opens no address that can do harm by itself', () => {
    const harmful = fc
      .constantFrom(...GUARDED_V4)
      .chain(({ from, to }) => fc.integer({ min: from, max: to }).map(toText));
    const allow = ['n8n', '10.0.0.0/8'];
    fc.assert(
      fc.property(harmful, (address) => {
        expect(reaches('http://n8n/', [address], { allow })).toBe(false);
        expect(reaches('http://n8n/', ['10.0.0.1', address], { allow })).toBe(false);
      }),
    );
    for (const address of ['fe80::1', 'fd00:ec2::254', 'ff02::1', '::', '2002:a00:1::', 'not an address'])
      expect(reaches('http://n8n/', [address], { allow })).toBe(false);
  });

  it('opens link-local addresses together with an address or a range that lies within them', () => {
    const allow = ['n8n', '169.254.10.0/24'];
    expect(reaches('http://n8n/', ['169.254.10.1', '10.0.0.1'], { allow })).toBe(true);
    expect(reaches('http://n8n/', ['169.254.11.1'], { allow })).toBe(false);
  });
});

describe('a denied host', () => {
  it.each([
    ['https://evil.test/', ['evil.test'], false],
    ['https://EVIL.test./', ['evil.test'], false],
    ['https://evil.test../', ['evil.test'], false],
    ['https://a.b.evil.test/', ['evil.test'], false],
    ['https://notevil.test/', ['evil.test'], true],
    ['https://evil.test/', ['*.evil.test'], true],
    ['https://a.evil.test/', ['*.evil.test'], false],
    ['https://hooks.test/', ['8.8.8.0/24'], false],
    ['https://hooks.test/', ['8.8.8.8'], false],
    ['https://hooks.test/', ['8.8.4.0/24'], true],
  ])('at %s is reached if %j is denied: %s', (url, deny, expected) => {
    expect(reaches(url, ['8.8.8.8'], { deny })).toBe(expected);
    expect(
      reaches(url, ['8.8.8.8'], { deny, allow: ['*.test', '*.evil.test', 'evil.test', '8.8.8.8'] }),
    ).toBe(expected);
  });

  it('is refused with one of its addresses', () => {
    const deny = ['8.8.8.8', '2606:4700::/32'];
    expect(reaches('https://hooks.test/', ['1.1.1.1', '8.8.8.8'], { deny })).toBe(false);
    expect(reaches('https://hooks.test/', ['1.1.1.1', '2606:4700::1'], { deny })).toBe(false);
    expect(reaches('https://hooks.test/', ['1.1.1.1', '64:ff9b::808:808'], { deny })).toBe(false);
    expect(reaches('https://hooks.test/', ['1.1.1.1'], { deny })).toBe(true);
  });

  it('covers translated addresses by a range of IPv6 as well', () => {
    expect(reaches('https://hooks.test/', ['64:ff9b::808:808'], { deny: ['64::/16'] })).toBe(false);
    expect(reaches('https://hooks.test/', ['64:ff9b::808:808'], {})).toBe(true);
  });
});

describe("an endpoint's URL that leads to the service's own address", () => {
  const own = [
    { host: '127.0.0.0/8', port: 8080 },
    { host: '10.0.0.5', port: 8080 },
    { host: 'messages.test', port: 443 },
  ];
  const allow = ['0.0.0.0/0', 'n8n', 'messages.test'];

  it.each([
    ['http://n8n:8080/', '127.0.0.1', false],
    ['http://n8n:8080/', '127.9.9.9', false],
    ['http://n8n:8080/', '10.0.0.5', false],
    ['http://n8n:8080/', '::ffff:10.0.0.5', false],
    ['http://n8n:8080/', '64:ff9b::a00:5', false],
    ['http://n8n:8080/', '10.0.0.6', true],
    ['http://n8n:8081/', '10.0.0.5', true],
    ['https://messages.test/', '10.0.0.6', false],
    ['https://Messages.test.:443/x', '10.0.0.6', false],
    ['https://messages.test:8443/', '10.0.0.6', true],
    ['https://a.messages.test/', '10.0.0.6', true],
  ])('is never reached: %s at %s', (url, address, expected) => {
    expect(reaches(url, [address], { own, allow })).toBe(expected);
  });

  it('is refused under the policy local too, and as one of several addresses', () => {
    const local = { own, policy: 'local' } as const;
    expect(reaches('http://localhost:8080/', ['127.0.0.1'], local)).toBe(false);
    expect(reaches('http://localhost:8081/', ['127.0.0.1'], local)).toBe(true);
    expect(reaches('http://n8n:8080/', ['10.0.0.6', '10.0.0.5'], { own, allow })).toBe(false);
  });
});

it('the policy decides on the URL of an endpoint for which the operator has no rule', () => {
  const destination = { hostname: 'hooks.test', secure: true, port: 443 };
  expect(mayReach(destination, ['8.8.8.8'], { urlPolicy: 'public' })).toBe(true);
  expect(mayReach(destination, ['10.0.0.1'], { urlPolicy: 'public' })).toBe(false);
  const hosts = { allow: NO_HOSTS, deny: NO_HOSTS, own: () => [] };
  expect(mayReach({ ...destination, secure: false }, ['8.8.8.8'], { urlPolicy: 'public', hosts })).toBe(
    false,
  );
});

function cidrsOf(from: number, to: number): string[] {
  for (let bits = 0; bits <= 32; bits += 1) {
    const size = 2 ** (32 - bits);
    if (from % size === 0 && from + size - 1 <= to)
      return [`${toText(from)}/${bits}`, ...(from + size > to ? [] : cidrsOf(from + size, to))];
  }
  return [];
}
