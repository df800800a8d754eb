import type { Content, Hmac, Key } from './hmac.ts';

export const hmacHex: Hmac['hmacHex'] = async (key, content) => {
  const mac = await crypto.subtle.sign('HMAC', await importKey(key, 'sign'), joined(content));
  return Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** `subtle.verify` compares in constant time. */
export const hmacMatches: Hmac['hmacMatches'] = async (key, content, hex) =>
  crypto.subtle.verify('HMAC', await importKey(key, 'verify'), fromHex(hex), joined(content));

const encoder = new TextEncoder();

function importKey(key: Key, usage: 'sign' | 'verify'): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = typeof key === 'string' ? encoder.encode(key) : Uint8Array.from(key);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function joined({ prefix, body }: Content): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(prefix + body);
  const bytes = new Uint8Array(prefix.length + body.length);
  encoder.encodeInto(prefix, bytes);
  bytes.set(body, prefix.length);
  return bytes;
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}
