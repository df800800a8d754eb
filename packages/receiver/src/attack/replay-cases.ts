import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../headers.ts';
import { type AttackCase, accepted, genuine, isSuccess, mustBeAccepted, refused } from './attack-case.ts';
import { requestOf, withHeaders } from './raw-request.ts';

/** The signatures are valid and cover the timestamp, so only the timestamp can reveal a bad request. */
export const TIMESTAMP_CASES: readonly AttackCase[] = [
  // A minute short of the limit, because the two clocks may differ.
  accepted('a timestamp 4 minutes old', async ({ sign, now, text }) =>
    requestOf(await sign(`${now - 240}`, text)),
  ),
  accepted('a timestamp 4 minutes ahead', async ({ sign, now, text }) =>
    requestOf(await sign(`${now + 240}`, text)),
  ),
  signedOver('a stale timestamp, 6 minutes old', (now) => `${now - 360}`),
  signedOver('a timestamp 6 minutes ahead', (now) => `${now + 360}`),
  signedOver('a timestamp a year ahead', (now) => `${now + 365 * 86_400}`),
  signedOver('a timestamp in milliseconds', (now) => `${now}000`),
  signedOver('the timestamp 0', () => '0'),
  signedOver('a timestamp with letters after it', (now) => `${now}abc`),
  signedOver('a timestamp with a fraction', (now) => `${now}.5`),
  signedOver('a timestamp with a plus sign', (now) => `+${now}`),
  signedOver('a timestamp with an exponent', (now) => `${now}e0`),
  signedOver('a timestamp in hexadecimal', (now) => `0x${now.toString(16)}`),
  signedOver('a timestamp in Arabic-Indic digits', (now) =>
    `${now}`.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x06_60 + Number(digit))),
  ),
  signedOver('a timestamp that is not a number', () => 'NaN'),
  signedOver('an empty timestamp', () => ''),
  signedOver('two timestamps joined by a comma', (now) => `${now}, ${now}`),
  refused('a timestamp header that comes twice', ({ parts: { timestamp, signature, body } }) =>
    withHeaders(body, [
      [TIMESTAMP_HEADER, timestamp],
      [TIMESTAMP_HEADER, timestamp],
      [SIGNATURE_HEADER, signature],
    ]),
  ),
  refused('no timestamp', ({ parts: { signature, body } }) =>
    withHeaders(body, [[SIGNATURE_HEADER, signature]]),
  ),
];

function signedOver(name: string, timestamp: (now: number) => string): AttackCase {
  return refused(name, async ({ sign, now, text }) => requestOf(await sign(timestamp(now), text)));
}

/** Check only the responses to repeats: the receiver's own log shows whether a repeat was handled twice. */
export const REPEAT_CASES: readonly AttackCase[] = [
  {
    name: 'an event that comes again with a new signature: accepted like the first, or the sender never stops',
    run: async (attack) => {
      const { parts, text } = await genuine(attack);
      const first = mustBeAccepted(await attack.target.send(requestOf(parts)));
      if (!first.right) return first;
      return mustBeAccepted(
        await attack.target.send(requestOf(await attack.sign(`${attack.now + 1}`, text))),
      );
    },
  },
  {
    name: 'an event in four concurrent requests: one is accepted, and a later request too',
    run: async (attack) => {
      const request = requestOf((await genuine(attack)).parts);
      const responses = await Promise.all(Array.from({ length: 4 }, () => attack.target.send(request)));
      if (!responses.some(isSuccess)) return { right: false, what: `got ${responses.join(', ')}` };
      return mustBeAccepted(await attack.target.send(request));
    },
  },
];
