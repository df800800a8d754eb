import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Content, Hmac } from './hmac.ts';

export const hmacHex: Hmac['hmacHex'] = (secret, content) =>
  createHmac('sha256', secret).update(joined(content)).digest('hex');

export const hmacMatches: Hmac['hmacMatches'] = (secret, content, hex) => {
  const expected = createHmac('sha256', secret).update(joined(content)).digest('hex');
  return timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(hex.toLowerCase(), 'latin1'));
};

/** Copying is cheaper than a second `update`. */
function joined({ prefix, body }: Content): string | Uint8Array {
  if (typeof body === 'string') return prefix + body;
  const bytes = Buffer.allocUnsafe(prefix.length + body.length);
  bytes.write(prefix, 'latin1');
  bytes.set(body, prefix.length);
  return bytes;
}
