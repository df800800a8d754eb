import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../headers.ts';
import { accepted, refused, type AttackCase } from './attack-case.ts';
import { requestOf, withHeaders } from './raw-request.ts';

export const SIGNATURE_CASES: readonly AttackCase[] = [
  accepted('a signature in upper-case hex', ({ parts }) =>
    requestOf({ ...parts, signature: `v1=${parts.signature.slice(3).toUpperCase()}` }),
  ),
  refused('a request without any header of the service', ({ parts }) => withHeaders(parts.body, [])),
  refused('no signature', ({ parts: { timestamp, body } }) =>
    withHeaders(body, [[TIMESTAMP_HEADER, timestamp]]),
  ),
  refused('a signature by another secret', async ({ sign, parts, text }) =>
    requestOf(await sign(parts.timestamp, text, 'whsec_another')),
  ),
  refused('a signature of another timestamp', async ({ sign, now, parts, text }) => {
    const { signature } = await sign(`${now - 1}`, text);
    return requestOf({ ...parts, signature });
  }),
  refused('a signature of another body', async ({ sign, parts }) => {
    const { signature } = await sign(parts.timestamp, '{}');
    return requestOf({ ...parts, signature });
  }),
  changed('an empty signature', () => ''),
  changed('a signature of zeros', () => `v1=${'0'.repeat(64)}`),
  changed('a signature whose first character differs', (hex) => `v1=${otherHex(hex[0])}${hex.slice(1)}`),
  changed(
    'a signature whose last character differs',
    (hex) => `v1=${hex.slice(0, -1)}${otherHex(hex.at(-1))}`,
  ),
  changed('a signature cut to 63 characters', (hex) => `v1=${hex.slice(0, -1)}`),
  changed('a signature cut to 2 characters', (hex) => `v1=${hex.slice(0, 2)}`),
  changed('a signature of 65 characters', (hex) => `v1=${hex}0`),
  changed('a signature with junk after it', (hex) => `v1=${hex}zz`),
  changed('a signature with junk between its pairs', (hex) => `v1=${hex.slice(0, 2)}zz${hex.slice(2)}`),
  changed('a signature with a letter that is not ASCII', (hex) => `v1=${hex.slice(0, -1)}é`),
  changed('a signature without v1=', (hex) => hex),
  changed('a signature with V1=', (hex) => `V1=${hex}`),
  changed('a signature of version 2', (hex) => `v2=${hex}`),
  changed('a signature in base64', (hex) => `v1=${Buffer.from(hex, 'hex').toString('base64')}`),
  changed('two signatures joined by a comma', (hex) => `v1=${hex}, v1=${hex}`),
  changed('a wrong signature and the right one', (hex) => `v1=${'0'.repeat(64)},v1=${hex}`),
  refused('a signature header that comes twice', ({ parts: { timestamp, signature, body } }) =>
    withHeaders(body, [
      [TIMESTAMP_HEADER, timestamp],
      [SIGNATURE_HEADER, signature],
      [SIGNATURE_HEADER, signature],
    ]),
  ),
];

function changed(name: string, change: (hex: string) => string): AttackCase {
  return refused(name, ({ parts }) => requestOf({ ...parts, signature: change(parts.signature.slice(3)) }));
}

function otherHex(character: string | undefined): string {
  return character === '0' ? '1' : '0';
}
