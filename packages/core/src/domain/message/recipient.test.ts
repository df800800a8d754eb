import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecipient } from './recipient.ts';

describe('parseRecipient', () => {
  it.each([
    ['34600123456', '34600123456'],
    ['+34 600 123 456', '34600123456'],
    ['+1 (555) 010-9999', '15550109999'],
    ['+49.30.1234567', '49301234567'],
    ['1234567', '1234567'],
    ['123456789012345', '123456789012345'],
    [' 34600123456 ', '34600123456'],
    ['34\t600123456\n', '34600123456'],
    ['+34\u00a0600\u202f123\u2009456', '34600123456'],
    ['+34 600–123—456', '34600123456'],
    ['+34\u2011600\u2212123\uff0d456', '34600123456'],
    ['34\u0085600\u2028123\u3000456\ufeff', '34600123456'],
    ['\u202a+34 600\u00ad123\u200b456\u202c', '34600123456'],
    ['+39 (06) 1234567', '39061234567'],
  ])('reads %j as the number %s', (to, digits) => {
    expect(parseRecipient(to)).toEqual({ ok: true, value: { kind: 'number', digits } });
  });

  it.each([
    '',
    '   ',
    '+',
    '123456',
    '1234567890123456',
    '0034600123456',
    '+0 600 123 456',
    'abc',
    '3460012345x',
    '34600123456;ext=1',
    '+34 (0) 600 123 456',
    '+44(0)2079460000',
    '+49 ( 0\u00a0) 30 1234567',
    '+49 (\u200e0-) 30 1234567',
    '+34/600123456',
    '+34_600123456',
    '٣٤٦٠٠١٢٣٤٥٦',
    '３４６００１２３４５６',
    'msg_01jgfjjv00fsnvdjzy0jcm5xh8',
    'GRP_01jgfjjv00fsnvdjzy0jcm5xh8',
  ])('refuses %j', (to) => {
    expect(parseRecipient(to)).toMatchObject({ ok: false, refusal: { code: 'INVALID_RECIPIENT' } });
  });

  it('takes whatever begins like a group id for one: whether there is such a group is asked later', () => {
    expect(parseRecipient('grp_x')).toEqual({ ok: true, value: { kind: 'group', groupId: 'grp_x' } });
  });

  it('reads a number the same however it is formatted', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
    const formatting = fc.array(fc.constantFrom('+', '-', '(', ')', '.', ' ', '\t', '\u00a0', '\u2013', ''), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(digits, formatting, (number, marks) => {
        const formatted =
          [...number].map((digit, i) => `${marks[i] ?? ''}${digit}`).join('') + (marks[15] ?? '');
        fc.pre(!formatted.includes('(0)'));
        expect(parseRecipient(formatted)).toEqual({ ok: true, value: { kind: 'number', digits: number } });
      }),
    );
  });

  it('never lets through a number that is not 7 to 15 digits, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (to) => {
        const read = parseRecipient(to);
        if (read.ok && read.value.kind === 'number') expect(read.value.digits).toMatch(/^[1-9][0-9]{6,14}$/);
      }),
    );
  });
});
