import { SIGNATURE_HEADER, TIMESTAMP_HEADER, type VerifyOptions } from '@trunkline/receiver';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';

export type HostileRequest = Pick<VerifyOptions, 'headers' | 'body'>;

export interface Genuine {
  readonly timestamp: string;
  readonly signature: string;
  readonly body: Uint8Array;
}

/** Returns a near miss of the genuine request, nonsense, or occasionally the request itself. */
export function hostileRequest(genuine: Genuine, random: RandomNumber): HostileRequest {
  const timestamp = random(3) === 0 ? genuine.timestamp : spoiltText(genuine.timestamp, random);
  const signature = random(3) === 0 ? genuine.signature : spoiltText(genuine.signature, random);
  return {
    headers: headersOf(timestamp, signature, random),
    body: random(3) === 0 ? genuine.body : spoiltBytes(genuine.body, random),
  };
}

function headersOf(timestamp: string, signature: string, random: RandomNumber): HostileRequest['headers'] {
  switch (random(7)) {
    case 0:
      return { get: (name) => (name === TIMESTAMP_HEADER ? timestamp : signature) };
    case 1:
      return { [TIMESTAMP_HEADER]: [timestamp, timestamp], [SIGNATURE_HEADER]: signature };
    case 2:
      return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: [signature], get: 'got' };
    case 3:
      return JSON.parse(
        `{"__proto__": "x", "${TIMESTAMP_HEADER}": ${JSON.stringify(timestamp)}}`,
      ) as HostileRequest['headers']; // its values are texts
    case 4:
      return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: [] };
    case 5:
      return { [TIMESTAMP_HEADER]: undefined, [SIGNATURE_HEADER]: signature };
    default:
      return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signature };
  }
}

function spoiltText(text: string, random: RandomNumber): string {
  const at = random(text.length + 1);
  const junk = JUNK[random(JUNK.length)] ?? '';
  switch (random(5)) {
    case 0:
      return text.slice(0, at) + junk + text.slice(at);
    case 1:
      return text.slice(0, at) + junk + text.slice(at + 1);
    case 2:
      return text.slice(0, at);
    case 3:
      return text.slice(at);
    default:
      return Array.from({ length: random(80) }, () => String.fromCharCode(random(0x1_00_00))).join('');
  }
}

const JUNK: readonly string[] = ['\uD800', 'v1=', ', ', 'e5', '0x', '__proto__', 'NaN', 'Infinity'].concat(
  [...'019aFg=,.-+ \t\n\0\u0661\uFF11\uFFFD\u{1F44B}'], // oxlint-disable-line typescript/no-misused-spread -- code points are meant
);

function spoiltBytes(bytes: Uint8Array, random: RandomNumber): Uint8Array {
  const at = random(bytes.length);
  switch (random(4)) {
    case 0:
      return bytes.with(at, random(256));
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes.subarray(at));
    default:
      return Uint8Array.from({ length: random(64) }, () => random(256));
  }
}
