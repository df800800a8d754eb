import * as fc from 'fast-check';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { expect, test } from 'vitest';
import { aimed, anyRequest } from './any-request.ts';
import type { AnyRequest } from './any-request.ts';
import { oneOfEverything } from './one-of-everything.ts';
import type { Harness } from './one-of-everything.ts';

/** `FUZZ_REQUESTS` sets the number of requests; `FUZZ_SEED` is the seed for drawing them. */
const REQUESTS = sized('FUZZ_REQUESTS', { short: 1_200, long: 20_000 });
const SEED = Number(process.env['FUZZ_SEED'] ?? 2);
const AT_ONCE = 50;
const IN_ONE_HARNESS = 200;

test(
  `no request of ${REQUESTS} makes a response that is not declared, or a 5xx`,
  async () => {
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(
      fc.array(anyRequest, { minLength: IN_ONE_HARNESS, maxLength: IN_ONE_HARNESS }),
      async (requests) => {
        const harness = await oneOfEverything({ rateLimit: false });
        for (let i = 0; i < requests.length; i += AT_ONCE) {
          const responses = requests.slice(i, i + AT_ONCE).map((request) => respondTo(request, harness));
          for (const response of await inTime(Promise.allSettled(responses), harness)) {
            if (response.status === 'rejected') throw response.reason;
            statuses.set(response.value, (statuses.get(response.value) ?? 0) + 1);
          }
        }
        await harness.service.during(harness.service.trunkline.stop());
      },
    );
    // Do not shrink, because the error already contains the request.
    await fc.assert(property, {
      seed: SEED,
      numRuns: Math.ceil(REQUESTS / IN_ONE_HARNESS),
      endOnFailure: true,
    });
    // If every request were refused at the first check, the test would prove nothing. Few requests send a file, so that
    // none of the short form may be of a wrong type (415).
    const expected = [200, 201, 202, 204, 206, 401, 403, 404, 405, 409, ...(isLongForm ? [415] : []), 422];
    expect([...statuses.keys()]).toEqual(expect.arrayContaining(expected));
    const accepted = [...statuses]
      .filter(([status]) => status < 300)
      .reduce((sum, [, count]) => sum + count, 0);
    expect(accepted).toBeGreaterThan(REQUESTS / 5);
  },
  300_000 + REQUESTS * 30,
);

/** Advances the clock until all have responded: lookups of an instance wait for each other. */
async function inTime<Results>(responses: Promise<Results>, { service }: Harness): Promise<Results> {
  let isOver = false;
  const settled = responses.finally(() => {
    isOver = true;
  });
  while (!isOver) await service.clock.advance(1_000);
  return settled;
}

/** Returns the status of the response, which `onlyDeclaredResponses` has checked. */
async function respondTo(
  { method, path, query, headers, body }: AnyRequest,
  harness: Harness,
): Promise<number> {
  const target = aimed(`${path}?${query}`, harness);
  try {
    const sent = body === null ? {} : { body: bytesOf(aimed(body, harness)) };
    const { status } = await harness.call(method, target, { headers, ...sent });
    expect(status).toBeLessThan(500);
    return status;
  } catch (error) {
    const request = JSON.stringify({ method, target, headers, body: String(body) });
    throw new Error(`The response to ${request} is wrong.`, { cause: error });
  }
}

/** Lone surrogates become U+FFFD, as in a client. */
function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(typeof body === 'string' ? new TextEncoder().encode(body) : body);
}
