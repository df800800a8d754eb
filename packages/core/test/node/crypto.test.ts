import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '@trunkline/core/node';

const crypto = nodeCrypto();
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

describe('sha256', () => {
  it('agrees with FIPS 180-4', () => {
    const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(crypto.sha256('abc')).toBe(expected);
    expect(crypto.sha256(new TextEncoder().encode('abc'))).toBe(expected);
  });

  it('takes text as UTF-8', () => {
    expect(crypto.sha256('Grüße')).toBe(crypto.sha256(new TextEncoder().encode('Grüße')));
  });
});

describe('encrypt and decrypt', () => {
  // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 16.
  const key = bytes('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308');
  const nonce = bytes('cafebabefacedbaddecaf888');
  const data = bytes('feedfacedeadbeeffeedfacedeadbeefabaddad2');
  const plaintext = bytes(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  );
  const sealed = bytes(
    '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662' +
      '76fc6ece0f4e1768cddf8853bb2d551b',
  );

  it('agree with the published test case', () => {
    expect(hex(crypto.encrypt(key, nonce, plaintext, data))).toBe(hex(sealed));
    expect(hex(crypto.decrypt(key, nonce, sealed, data))).toBe(hex(plaintext));
  });

  it('work on nothing', () => {
    const empty = crypto.encrypt(key, nonce, new Uint8Array(), new Uint8Array());
    expect(empty.length).toBe(16);
    expect(crypto.decrypt(key, nonce, empty, new Uint8Array())).toEqual(new Uint8Array());
  });

  it('refuse what does not belong together', () => {
    const turned = (value: Uint8Array, index: number): Uint8Array =>
      value.map((byte, at) => (at === index ? byte ^ 1 : byte));
    expect(() => crypto.decrypt(turned(key, 0), nonce, sealed, data)).toThrow();
    expect(() => crypto.decrypt(key, turned(nonce, 0), sealed, data)).toThrow();
    expect(() => crypto.decrypt(key, nonce, sealed, turned(data, 0))).toThrow();
    for (let index = 0; index < sealed.length; index += 1) {
      expect(() => crypto.decrypt(key, nonce, turned(sealed, index), data)).toThrow();
    }
  });

  it('refuse a sealed value that was cut, at any length', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => crypto.decrypt(key, nonce, sealed.subarray(0, length), data)).toThrow();
      expect(() => crypto.decrypt(key, nonce, sealed.subarray(length + 1), data)).toThrow();
    }
  });

  it('refuse a key or a nonce of another length', () => {
    for (const length of [0, 8, 11, 13, 16]) {
      expect(() => crypto.encrypt(key, new Uint8Array(length), plaintext, data)).toThrow();
      expect(() => crypto.decrypt(key, new Uint8Array(length), sealed, data)).toThrow();
    }
    for (const length of [0, 16, 31, 33]) {
      expect(() => crypto.encrypt(new Uint8Array(length), nonce, plaintext, data)).toThrow();
    }
  });
});

describe('deriveKey', () => {
  it('is HKDF-SHA256 with the purpose as info', () => {
    // Computed separately, with the two HMACs of RFC 5869: no salt, 32 bytes.
    expect(hex(crypto.deriveKey('secret', 'seal'))).toBe(
      '9f92ae6604bfd4d404fec9c735aec175e8d9562bdbb46694a21a5b7cee6317c6',
    );
  });

  it('differs by secret and by purpose', () => {
    const keys = [
      crypto.deriveKey('a', 'x'),
      crypto.deriveKey('b', 'x'),
      crypto.deriveKey('a', 'y'),
      crypto.deriveKey('ax', ''),
    ];
    expect(new Set(keys.map(hex)).size).toBe(4);
    expect(keys.every((key) => key.length === 32)).toBe(true);
  });
});
