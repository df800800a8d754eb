import { expect, it } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, signWebhook, verify } from '@trunkline/receiver';
import { sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { hostileRequest, type Genuine, type HostileRequest } from './support/hostile-request.ts';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const now = 1_763_672_400_000;
// `pnpm --filter @trunkline/receiver fuzz` runs a million.
const runs = sized('FUZZ_RUNS', { short: 5_000, long: 20_000 });

it(
  `never throws and accepts only genuine requests: ${runs} of them`,
  { timeout: 600_000 },
  async (context) => {
    const genuine = await genuineRequest();
    const random = randomInTest(context);
    const reasons = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const request = hostileRequest(genuine, random);
      const result = await verify({ secret, ...request, receivedAt: now }).catch((error: unknown) => {
        throw new Error(`request ${run}: ${JSON.stringify(request)}`, { cause: error });
      });
      if (!result.ok) reasons.add(result.reason);
      else if (!isGenuine(request, genuine)) expect.fail(`accepted request ${run}`);
    }
    // Each check of the headers and the signature must have refused some requests.
    expect([...reasons]).toEqual(
      expect.arrayContaining([
        'missing_timestamp',
        'invalid_timestamp',
        'timestamp_out_of_tolerance',
        'missing_signature',
        'invalid_signature_format',
        'signature_mismatch',
      ]),
    );
  },
);

async function genuineRequest(): Promise<Genuine> {
  const body = new TextEncoder().encode(
    '{"id":"evt_1","type":"a","created_at":"","workspace_id":"","data":{}}',
  );
  const timestamp = String(now / 1000);
  return { timestamp, body, signature: await signWebhook({ secret, timestamp, body }) };
}

function isGenuine({ headers, body }: HostileRequest, genuine: Genuine): boolean {
  const read = (name: string): string => {
    const value =
      typeof headers['get'] === 'function' ? headers.get(name) : new Map(Object.entries(headers)).get(name);
    return [value].flat().join(', ');
  };
  return (
    read(TIMESTAMP_HEADER) === genuine.timestamp &&
    read(SIGNATURE_HEADER).toLowerCase() === genuine.signature &&
    Buffer.compare(Buffer.from(body as Uint8Array), genuine.body) === 0 // hostileRequest() makes no other bodies
  );
}
