import { FF1 } from '@noble/ciphers/ff1.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPermutation } from './ff1.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const key = fc.constantFrom(16, 24, 32).chain(bytes);

it('permutes 9 bytes as another implementation of FF1 (NIST SP 800-38G) does, of radix 256', () => {
  fc.assert(
    fc.property(key, bytes(9), (ownKey, value) => {
      const permuted = createPermutation(ownKey).permute(value);
      expect([...permuted]).toEqual(FF1(256, ownKey).encrypt([...value]));
    }),
  );
});

it('FF1 decrypts what it has encrypted', () => {
  fc.assert(
    fc.property(key, bytes(9), (ownKey, value) => {
      const { permute, invert } = createPermutation(ownKey);
      expect(invert(permute(value))).toEqual(value);
      expect(permute(invert(value))).toEqual(value);
    }),
  );
});
