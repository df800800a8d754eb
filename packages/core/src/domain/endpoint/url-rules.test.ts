import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ENDPOINT_URL_LENGTH, checkEndpointUrl } from './url-rules.ts';

function message(url: string, policy: 'public' | 'local' = 'public'): string | undefined {
  const result = checkEndpointUrl(url, { urlPolicy: policy });
  if (result.ok) return undefined;
  expect(result.refusal.code).toBe('INVALID_WEBHOOK_URL');
  return result.refusal.message;
}

describe('checkEndpointUrl', () => {
  it('takes a URL apart', () => {
    expect(checkEndpointUrl('HTTPS://Hooks.Example.COM:8443/a/../b?c=d&e', { urlPolicy: 'public' })).toEqual({
      ok: true,
      value: {
        origin: 'https://hooks.example.com:8443',
        secure: true,
        hostname: 'hooks.example.com',
        hostIsAddress: false,
        port: 8443,
        path: '/b?c=d&e',
      },
    });
  });

  it('knows an address from a name', () => {
    expect(checkEndpointUrl('https://8.8.8.8/', { urlPolicy: 'public' })).toMatchObject({
      value: { hostname: '8.8.8.8', hostIsAddress: true, origin: 'https://8.8.8.8' },
    });
    expect(checkEndpointUrl('https://[2606:4700:0::1]/', { urlPolicy: 'public' })).toMatchObject({
      value: { hostname: '2606:4700::1', hostIsAddress: true, origin: 'https://[2606:4700::1]' },
    });
  });

  it.each([
    'https://example.com',
    'https://example.com/',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://example.com:08443/',
    'https://example.com?a=b@c',
    'https://example.com/a@b:c',
    'https://example.com/%23%40%5C',
    'https://bücher.example/straße?q=ü',
    'https://xn--bcher-kva.example/',
    'https://a_b.example.com/',
    'https://example.com./',
    'https://localhost/', // a name, whose addresses are checked later
    'https://metadata.google.internal/',
  ])('allows %s', (url) => {
    expect(message(url)).toBeUndefined();
  });

  it.each([
    'http://example.com',
    'http://example.com:443',
    'ftp://example.com',
    'ws://example.com',
    'javascript:alert(1)',
    '',
  ])('refuses the scheme of %j', (url) => {
    expect(message(url)).toMatch(/begin with https:\/\/ and name a host/);
  });

  it.each([
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https://',
    'https://?a',
    '//example.com',
    'example.com',
  ])('refuses %j, which a parser would repair or guess', (url) => {
    expect(message(url)).toMatch(/begin with https:\/\/ and name a host/);
  });

  it.each([0, 1, 80, 444, 8080, 8444, 65535])('refuses port %i', (port) => {
    expect(message(`https://example.com:${port}/`)).toMatch(/443 or 8443/);
  });

  it.each([
    'https://example.com:65536/',
    'https://example.com:-1/',
    'https://example.com:44a/',
    'https://exa%mple.com/',
    'https://a..%00b/',
    'https://[::1/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://[fe80::1%25eth0]/',
    'https://ex^ample.com/',
    'https://a<b.com/',
  ])('refuses %s, which cannot be read', (url) => {
    expect(message(url)).toMatch(/cannot be read/);
  });

  it.each([
    'https://@example.com',
    'https://:@example.com',
    'https://user@example.com',
    'https://user:pass@example.com',
    'https://:pass@example.com',
    'https://example.com@evil.example/',
    'https://a@b@example.com',
  ])('refuses the credentials in %s', (url) => {
    expect(message(url)).toMatch(/user name or a password/);
  });

  it.each([
    'https://example.com/#',
    'https://example.com#',
    'https://example.com/#a',
    'https://example.com/?a#b',
  ])('refuses the fragment in %s', (url) => {
    expect(message(url)).toMatch(/fragment/);
  });

  it.each([
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['a tab', '\t'],
    ['NUL', '\0'],
    ['DEL', '\u007f'],
    ['a space', ' '],
    ['a backslash', '\\'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a soft hyphen', '\u00ad'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a word joiner', '\u2060'],
    ['a byte order mark', '\ufeff'],
    ['a variation selector', '\ufe0f'],
    ['half a surrogate pair', '\ud800'],
  ])('refuses %s, wherever it stands', (_name, character) => {
    for (const url of [
      `${character}https://example.com/`,
      `htt${character}ps://example.com/`,
      `https:/${character}/example.com/`,
      `https://exam${character}ple.com/`,
      `https://example.com/a${character}b`,
      `https://example.com/?a${character}b`,
      `https://example.com/${character}`,
    ]) {
      expect(message(url)).toMatch(/must not contain spaces, backslashes, control characters/);
    }
  });

  it.each([
    '127.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '127.0.0.1.',
    '10.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
  ])('evaluates the host %s as the address that it becomes', (host) => {
    expect(message(`https://${host}/`)).toMatch(/public address/);
    expect(message(`https://${host}:8443/`)).toMatch(/public address/);
  });

  it.each(['0x08.8.2056', '134744072', '８.８.８.８', '8。8。8。8', '8.8.8.8.'])(
    'allows %s, which becomes 8.8.8.8',
    (host) => {
      expect(checkEndpointUrl(`https://${host}/`, { urlPolicy: 'public' })).toMatchObject({
        value: { hostname: '8.8.8.8', hostIsAddress: true },
      });
    },
  );

  it('counts 2,048 characters, not UTF-16 units', () => {
    const url = (length: number, unit: string): string =>
      'https://example.com/'.padEnd(20, '/') + unit.repeat(length - 20);
    expect(MAX_ENDPOINT_URL_LENGTH).toBe(2048);
    expect(message(url(2048, 'a'))).toBeUndefined();
    expect(message(url(2049, 'a'))).toMatch(/at most 2048 characters/);
    expect(message(url(2048, '😀'))).toBeUndefined();
    expect(message(url(2049, '😀'))).toMatch(/at most 2048 characters/);
  });

  it('lets nothing through that a parser reads otherwise', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'https://',
        'https:',
        '//',
        '/',
        '@',
        ':',
        '#',
        '?',
        '\\',
        '.',
        '%40',
        '%00',
        '\t',
        ' ',
      ),
      fc.constantFrom(
        'example.com',
        '127.0.0.1',
        '8.8.8.8',
        '0x7f.1',
        '[::1]',
        '443',
        '8443',
        '80',
        '\u00ad',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => `https://${parts.join('')}`);
    fc.assert(
      fc.property(text, (raw) => {
        const result = checkEndpointUrl(raw, { urlPolicy: 'public' });
        if (!result.ok) return;
        const { username, password, hash, protocol, port, hostname } = new URL(raw);
        expect({ username, password, hash, protocol }).toEqual({
          username: '',
          password: '',
          hash: '',
          protocol: 'https:',
        });
        expect(['', '8443']).toContain(port);
        expect(['127.0.0.1', '[::1]']).not.toContain(hostname);
      }),
      { numRuns: 2000 },
    );
  });

  it('repeats nothing of the URL in its message', () => {
    for (const url of [
      'https://secret:token@example.com',
      'http://token.example',
      'https://token.example:99',
      'https://10.1.2.3/token',
    ]) {
      expect(message(url)).not.toMatch(/token|10\.1\.2\.3/);
    }
  });
});

describe("checkEndpointUrl with the policy 'local'", () => {
  it.each([
    'http://example.com',
    'http://127.0.0.1:3000/hook',
    'https://127.0.0.1:3000/',
    'http://[::1]:3000/',
    'http://localhost:1/',
    'https://example.com:65535/',
    'http://example.com:443/',
  ])('allows %s', (url) => {
    expect(message(url, 'local')).toBeUndefined();
  });

  it('fills in the port of the scheme', () => {
    expect(checkEndpointUrl('http://localhost/', { urlPolicy: 'local' })).toMatchObject({
      value: { port: 80, secure: false, origin: 'http://localhost' },
    });
    expect(checkEndpointUrl('https://localhost/', { urlPolicy: 'local' })).toMatchObject({
      value: { port: 443, secure: true },
    });
  });

  it.each([
    'http://10.0.0.1/',
    'http://192.168.1.1:8080/',
    'http://169.254.169.254/',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://localhost:0/',
    'http://user@localhost/',
    'http://localhost/#',
    'http:localhost',
    'http://local\thost/',
    'ftp://localhost/',
  ])('still refuses %j', (url) => {
    expect(message(url, 'local')).toBeDefined();
  });
});
