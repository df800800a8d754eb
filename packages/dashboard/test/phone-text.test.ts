import { expect, it } from 'vitest';
import { digitsOf } from '../app/src/domain/digits-of.ts';
import { phoneText } from '../app/src/domain/phone-text.ts';

it.each([
  ['15550100123', '+1 555 010 0123'],
  ['15550100', '+1 555 0100'],
  ['4915123456789', '+49 1512 345 6789'],
  ['34612345678', '+34 612 345 678'],
  ['447911123456', '+44 791 112 3456'],
  ['351912345678', '+351 912 345 678'],
  ['79161234567', '+7 916 123 4567'],
  ['5511912345678', '+55 1191 234 5678'],
  ['123', '+123'],
  ['1', '+1'],
  ['123456789012345', '+123456789012345'],
])('the number %s is shown as %s, and read back', (digits, shown) => {
  expect(phoneText(digits)).toBe(shown);
  if (digits.length >= 7) expect(digitsOf(shown)).toBe(digits);
});
