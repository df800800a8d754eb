import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMBEDDINGS, EMBEDDING_IPV4, REFUSED_V4, toText } from '../../../test/support/ipv4-addresses.ts';
import { isAllowedAddress, areAllowedAddresses } from './address-rules.ts';

const refusedV4 = fc
  .constantFrom(...REFUSED_V4)
  .chain(({ from, to }) => fc.integer({ min: from, max: to }).map(toText));
const publicV4 = fc
  .integer({ min: 0, max: 0xffffffff })
  .filter((address) => !REFUSED_V4.some(({ from, to }) => from <= address && address <= to))
  .map(toText);

describe('isAllowedAddress', () => {
  describe.each(REFUSED_V4)('refuses $first to $last', ({ first, last, from, to }) => {
    it('at both ends, and not beyond where the neighbour is public', () => {
      expect(isAllowedAddress(first, 'public')).toBe(false);
      expect(isAllowedAddress(last, 'public')).toBe(false);
      for (const neighbour of [from - 1, to + 1]) {
        const refused = REFUSED_V4.some((range) => range.from <= neighbour && neighbour <= range.to);
        const exists = neighbour >= 0 && neighbour <= 0xffffffff;
        if (exists) expect(isAllowedAddress(toText(neighbour), 'public')).toBe(!refused);
      }
    });

    it.each(Object.entries(EMBEDDINGS))('as %s', (_name, embed) => {
      fc.assert(
        fc.property(fc.integer({ min: from, max: to }), (address) => {
          expect(isAllowedAddress(embed(toText(address)), 'public')).toBe(false);
        }),
        { numRuns: 30 },
      );
    });
  });

  it('allows every other IPv4 address', () => {
    fc.assert(fc.property(publicV4, (address) => isAllowedAddress(address, 'public')));
  });

  it.each(Object.entries(EMBEDDINGS))('evaluates a public address as %s', (name, embed) => {
    fc.assert(
      fc.property(publicV4, (address) => {
        expect(isAllowedAddress(embed(address), 'public')).toBe(EMBEDDING_IPV4.includes(name));
      }),
    );
  });

  it.each([
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2001:200::1',
    '2003::1',
    '3fff:1000::1',
    '2620:4f:8000::1',
    '2a00:1450:4001:82f::200e',
    '2606:4700::100:5efe:808:808',
  ])('allows %s', (address) => {
    expect(isAllowedAddress(address, 'public')).toBe(true);
  });

  it.each([
    '::',
    '::1',
    '::7f00:1',
    '1::1',
    '100::1',
    '1fff:ffff::1',
    '4000::1',
    '5f00::1',
    '2001::1',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::1',
    '2001:0DB8:0:0:0:0:0:1',
    '2002::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    '64:ff9b:1::1',
    '64:ff9b:0:1::808:808',
    'fc00::1',
    'fd12:3456:789a::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fe80::1%eth0',
    '2606:4700:4700::1111%1',
    '2606:4700:4700::1111%25eth0',
    '::ffff:8.8.8.8%eth0',
  ])('refuses %s', (address) => {
    expect(isAllowedAddress(address, 'public')).toBe(false);
  });

  it('allows in IPv6 nothing outside 2000::/3 that holds no IPv4 address', () => {
    const outside = fc
      .tuple(
        fc.integer({ min: 0, max: 0xffff }),
        fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
      )
      .filter(([first]) => first >> 13 !== 1 && first !== 0 && first !== 0x64);
    fc.assert(
      fc.property(outside, ([first, rest]) => {
        const address = [first, ...rest].map((part) => part.toString(16)).join(':');
        expect(isAllowedAddress(address, 'public')).toBe(false);
        expect(isAllowedAddress(address, 'local')).toBe(false);
      }),
    );
  });

  // An operating system may read these texts differently from a library, or look them up as names.
  it.each([
    '',
    ' ',
    '8.8.8',
    '8.8.8.8.8',
    '134744072',
    '0x8.8.8.8',
    '08.8.8.8',
    '010.8.8.8',
    '8.8.8.256',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8:80',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '2606:4700::1/64',
    '2606:4700::1::1',
    '2606:4700::12345',
    '2606:4700:::1',
    '2606:4700:0:0:0:0:0:0:1',
    '::ffff:08.8.8.8',
    '::ffff:8.8.8',
    '::ffff:0x8.8.8.8',
    'localhost',
    'example.com',
    'abcd',
    '８.８.８.８',
    `${'2606:'.repeat(1000)}1`,
  ])('refuses %j, which is not an address in its normal form', (text) => {
    expect(isAllowedAddress(text, 'public')).toBe(false);
    expect(isAllowedAddress(text, 'local')).toBe(false);
  });

  it('never throws', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%x'.split('')) }),
    );
    fc.assert(fc.property(text, (address) => typeof isAllowedAddress(address, 'public') === 'boolean'));
  });
});

describe("isAllowedAddress with the policy 'local'", () => {
  it.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'allows the loopback address %s',
    (address) => {
      expect(isAllowedAddress(address, 'public')).toBe(false);
      expect(isAllowedAddress(address, 'local')).toBe(true);
    },
  );

  it('allows no other address that is not public', () => {
    // Embedded in IPv6, 0.0.0.1 is `::0.0.0.1`, the loopback address `::1`.
    const other = refusedV4.filter((address) => !address.startsWith('127.') && address !== '0.0.0.1');
    fc.assert(
      fc.property(other, (address) => {
        for (const embed of Object.values(EMBEDDINGS))
          expect(isAllowedAddress(embed(address), 'local')).toBe(false);
        expect(isAllowedAddress(address, 'local')).toBe(false);
      }),
    );
    for (const address of ['::', '::2', 'fe80::1', 'fc00::1', '2002:7f00:1::', '::7f00:1']) {
      expect(isAllowedAddress(address, 'local')).toBe(false);
    }
  });

  it('allows public addresses as before', () => {
    fc.assert(fc.property(publicV4, (address) => isAllowedAddress(address, 'local')));
  });
});

describe('areAllowedAddresses', () => {
  it('allows a host all of whose addresses are public', () => {
    expect(areAllowedAddresses(['8.8.8.8', '2606:4700::1'], 'public')).toBe(true);
  });

  it.each([
    [['8.8.8.8', '10.0.0.1']],
    [['10.0.0.1', '8.8.8.8']],
    [['8.8.8.8', '::1']],
    [['8.8.8.8', 'fe80::1%2']],
  ])('refuses a host with one that is not: %j', (addresses) => {
    expect(areAllowedAddresses(addresses, 'public')).toBe(false);
  });

  it('refuses a host without addresses', () => {
    expect(areAllowedAddresses([], 'public')).toBe(false);
    expect(areAllowedAddresses([], 'local')).toBe(false);
  });
});
