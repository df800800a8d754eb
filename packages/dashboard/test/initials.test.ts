import { expect, it } from 'vitest';
import { initialsOf } from '../app/src/domain/initials.ts';

it.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Augusta Ada King', 'AK'],
  ['Front desk (2)', 'FD'],
  ['+49 151 23456789', '89'],
  ['15550100', '00'],
  ['ليلى حسن', 'لح'],
  ['𝒜da 𝓛', '𝒜𝓛'],
  ['🙂', '#'],
  ['', '#'],
])('the initials of %o are %o', (name, initials) => expect(initialsOf(name)).toBe(initials));
