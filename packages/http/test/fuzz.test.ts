import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aimed, anyRequest } from './any-request.ts';
import type { AnyRequest } from './any-request.ts';
import { oneOfEverything } from './one-of-everything.ts';
import type { World } from './one-of-everything.ts';

/** `FUZZ_REQUESTS` asks for more of them, `FUZZ_SEED` for others. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 20_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const AT_ONCE = 50;
const IN_ONE_WORLD = 200;

test(
  `no request of ${REQUESTS} makes an answer that is not declared, or a 5xx`,
  async () => {
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(
      fc.array(anyRequest, { minLength: IN_ONE_WORLD, maxLength: IN_ONE_WORLD }),
      async (requests) => {
        const world = await oneOfEverything({ rateLimit: false });
        for (let i = 0; i < requests.length; i += AT_ONCE) {
          const answers = requests.slice(i, i + AT_ONCE).map((request) => answerTo(request, world));
          await world.service.clock.advance(2_000);
          for (const answer of await Promise.allSettled(answers)) {
            if (answer.status === 'rejected') throw answer.reason;
            statuses.set(answer.value, (statuses.get(answer.value) ?? 0) + 1);
          }
        }
        await world.service.during(world.service.trunkline.stop());
      },
    );
    // Shrinking would say little more than the request that the error names.
    await fc.assert(property, {
      seed: SEED,
      numRuns: Math.ceil(REQUESTS / IN_ONE_WORLD),
      endOnFailure: true,
    });
    // Were they all refused at the door, this would prove nothing.
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining([200, 201, 202, 204, 206, 401, 403, 404, 405, 409, 415, 422]),
    );
    const accepted = [...statuses]
      .filter(([status]) => status < 300)
      .reduce((sum, [, count]) => sum + count, 0);
    expect(accepted).toBeGreaterThan(REQUESTS / 5);
  },
  Math.max(60_000, REQUESTS * 10),
);

/** The status of the answer, once all of it is checked (`onlyDeclaredAnswers`). */
async function answerTo({ method, path, query, headers, body }: AnyRequest, world: World): Promise<number> {
  const target = aimed(`${path}?${query}`, world);
  try {
    const sent = body === null ? {} : { body: bytesOf(aimed(body, world)) };
    const { status } = await world.call(method, target, { headers, ...sent });
    expect(status).toBeLessThan(500);
    return status;
  } catch (error) {
    const request = JSON.stringify({ method, target, headers, body: String(body) });
    throw new Error(`The answer to ${request} is wrong.`, { cause: error });
  }
}

/** A copy in a buffer of its own; text with broken surrogates becomes what a client would send. */
function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(typeof body === 'string' ? new TextEncoder().encode(body) : body);
}
