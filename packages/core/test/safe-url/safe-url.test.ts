import { describe, expect, it, vi } from 'vitest';
import { checkUrl, isAllowedAddress, isPublicAddress, resolveSafely } from '@trunkline/core/safe-url';

describe('checkUrl', () => {
  it('takes a URL apart that keeps the rules', () => {
    expect(checkUrl('https://Hooks.example.com:8443/a?b=c')).toEqual({
      ok: true,
      url: {
        origin: 'https://hooks.example.com:8443',
        secure: true,
        hostname: 'hooks.example.com',
        hostIsAddress: false,
        port: 8443,
        path: '/a?b=c',
      },
    });
  });

  it.each([
    ['http://example.com/', 'The URL must begin with https:// and name a host.'],
    ['https://@example.com/', 'The URL must not contain a user name or a password.'],
    ['https://example.com/#', 'The URL must not contain a fragment (#).'],
    ['https://example.com:22/', 'The port of the URL must be 443 or 8443.'],
    ['https://0x7f.1/', 'The host of the URL must have a public address.'],
    ['https://[::ffff:10.0.0.1]/', 'The host of the URL must have a public address.'],
  ])('says what is wrong with %s', (url, message) => {
    expect(checkUrl(url)).toEqual({ ok: false, message });
  });

  it('takes http, any port and loopback for development', () => {
    expect(checkUrl('http://127.0.0.1:3000/', 'local').ok).toBe(true);
    expect(checkUrl('http://10.0.0.1:3000/', 'local').ok).toBe(false);
  });
});

describe('an address', () => {
  it.each(['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    'fe80::1',
    '64:ff9b::7f00:1',
    '127.1',
    'fe80::1%eth0',
    'example.com',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('is allowed for development if it is loopback', () => {
    expect(['127.0.0.1', '::1', '10.0.0.1'].map((address) => isAllowedAddress(address, 'local'))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('resolveSafely', () => {
  it('returns the addresses to connect to, from one look-up', async () => {
    const lookup = vi.fn(async () => ['2606:4700::1', '8.8.8.8']);
    expect(await resolveSafely('example.com', { lookup })).toEqual({
      ok: true,
      addresses: ['2606:4700::1', '8.8.8.8'],
    });
    expect(lookup).toHaveBeenCalledExactlyOnceWith('example.com', expect.any(AbortSignal));
  });

  it('refuses a host that has one private address among public ones', async () => {
    const lookup = async (): Promise<string[]> => ['8.8.8.8', '10.0.0.1'];
    expect(await resolveSafely('example.com', { lookup })).toMatchObject({ ok: false, reason: 'unsafe' });
  });

  it.each([
    ['8.8.8.8', 'public', true],
    ['127.0.0.1', 'public', false],
    ['127.0.0.1', 'local', true],
    ['::1', 'public', false],
  ] as const)('checks %s by the policy %s without a look-up', async (host, policy, ok) => {
    const lookup = vi.fn(async () => ['8.8.8.8']);
    expect(await resolveSafely(host, { lookup, policy })).toMatchObject({ ok });
    expect(lookup).not.toHaveBeenCalled();
  });

  it.each(['127.1', '0x7f000001', '2130706433'])(
    'checks the address that the system reads in %s',
    async (host) => {
      // getaddrinfo reads all three as this address.
      const lookup = async (): Promise<string[]> => ['127.0.0.1'];
      expect(await resolveSafely(host, { lookup })).toMatchObject({ ok: false, reason: 'unsafe' });
    },
  );

  it('distinguishes a host that does not resolve from one that must not be connected to', async () => {
    const cause = new Error('ENOTFOUND');
    const failing = (): Promise<never> => Promise.reject(cause);
    expect(await resolveSafely('a.example', { lookup: failing })).toEqual({
      ok: false,
      reason: 'unresolved',
      message: 'The host does not resolve.',
      cause,
    });
    expect(await resolveSafely('a.example', { lookup: async () => [] })).toMatchObject({
      reason: 'unresolved',
    });
  });

  it('waits no longer than it is asked to', async () => {
    const lookup = (): Promise<never> => new Promise<never>(() => {});
    const reason = new Error('too late');
    const abort = new AbortController();
    const resolved = resolveSafely('a.example', { lookup, signal: abort.signal });
    abort.abort(reason);
    await expect(resolved).rejects.toBe(reason);
    await expect(resolveSafely('8.8.8.8', { lookup, signal: abort.signal })).rejects.toBe(reason);
  });
});
