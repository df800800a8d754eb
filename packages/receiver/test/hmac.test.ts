import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as node from '../src/hmac-node.ts';
import * as web from '../src/hmac-web.ts';
import type { Hmac } from '../src/hmac.ts';

// RFC 4231's cases with text keys, and one with a key longer than a block, in letters because the RFC's own is not
// text.
const cases = [
  {
    name: 'RFC 4231, 4.2',
    secret: '\u000b'.repeat(20),
    content: 'Hi There',
    hex: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    name: 'RFC 4231, 4.3',
    secret: 'Jefe',
    content: 'what do ya want for nothing?',
    hex: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    name: 'a key of one block and one byte',
    secret: 'k'.repeat(65),
    content: 'Test Using Larger Than Block-Size Key - Hash Key First',
    hex: 'f7d852b4d7ad4202d2e38684c88860d85e9a1f83c4c5fb3e47607db2d2eee05a',
  },
];

/** Keys shorter than a block, of one block, longer, and with more bytes than characters. */
const keys = ['', 'k', 'k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'k'.repeat(200), 'ключ-鍵'.repeat(9)];
const lengths = [0, 1, 54, 55, 56, 63, 64, 1_000, 16_300, 16_400, 100_000];

it.each(keys)("node:crypto agrees with Node's own HMAC: key %#", (secret) => {
  for (const length of lengths) {
    const body = Buffer.alloc(length, 'Größe 鍵 ');
    const hex = createHmac('sha256', secret).update('1763.').update(body).digest('hex');
    expect(node.hmacHex(secret, { prefix: '1763.', body })).toBe(hex);
    expect(node.hmacMatches(secret, { prefix: '1763.', body }, hex)).toBe(true);
    const text = 'Größe 鍵 '.repeat(length / 9);
    expect(node.hmacHex(secret, { prefix: '1763.', body: text })).toBe(
      createHmac('sha256', secret).update(`1763.${text}`).digest('hex'),
    );
  }
});

describe.each<[string, Hmac]>([
  ['node:crypto', node],
  ['Web Crypto', web],
])('HMAC on %s', (_name, hmac) => {
  it.each(cases)('agrees with $name', async ({ secret, content, hex }) => {
    const whole = { prefix: content.slice(0, 5), body: new TextEncoder().encode(content.slice(5)) };
    expect(await hmac.hmacHex(secret, whole)).toBe(hex);
    expect(await hmac.hmacHex(secret, { prefix: '', body: content })).toBe(hex);
    expect(await hmac.hmacMatches(secret, whole, hex)).toBe(true);
    expect(await hmac.hmacMatches(secret, whole, hex.toUpperCase())).toBe(true);
    expect(await hmac.hmacMatches(`${secret}.`, whole, hex)).toBe(false);
  });

  it.each([0, 31, 63])('sees that character %i differs', async (index) => {
    const content = { prefix: '1.', body: new Uint8Array([1, 2, 3]) };
    const hex = await hmac.hmacHex('secret', content);
    const other = hex[index] === '0' ? '1' : '0';
    expect(
      await hmac.hmacMatches('secret', content, hex.slice(0, index) + other + hex.slice(index + 1)),
    ).toBe(false);
  });
});
