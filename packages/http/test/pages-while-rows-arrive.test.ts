import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '@trunkline/test-support/long-form';
import { textOf } from './client.ts';
import type { Call, Seen } from './client.ts';
import { oneOfEverything } from './one-of-everything.ts';
import type { Harness } from './one-of-everything.ts';
import { idOf } from './service.ts';

const RUNS = sized('PAGING_RUNS', { short: 10, long: 40 });

interface Listing {
  readonly path: string;
  readonly add: () => Promise<string>;
}

const LISTINGS: Readonly<Record<string, (harness: Harness) => Listing>> = {
  messages: ({ send }) => ({ path: '/messages?type=text', add: async () => idOf((await send()).json) }),
  deliveries: ({ call, ids: { webhook } }) => ({
    path: `/webhooks/${webhook}/deliveries?event=webhook.test`,
    add: async () => idOf((await call('POST', `/webhooks/${webhook}/test`)).json),
  }),
};

const idsOf = (seen: Seen): string[] => JSON.parse(seen.text).data.map(({ id }: { id: string }) => id);

/** Every id from the first page to the last. Calls `between` after each page. */
async function walk(call: Call, target: string, between: () => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Seen = await call(
      'GET',
      cursor === '' ? target : `${target}&cursor=${encodeURIComponent(cursor)}`,
    );
    ids.push(...idsOf(page));
    const next: unknown = page.json.meta?.next_cursor;
    cursor = next === null ? null : textOf(next);
    await between();
  }
  return ids;
}

test.each(Object.entries(LISTINGS))(
  'pages of %s never repeat or skip a row while rows arrive and change',
  async (_, listingOf) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.integer({ min: 0, max: 30 }),
          limit: fc.integer({ min: 1, max: 12 }),
          arrivals: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
          // Without a pause, rows share a millisecond and differ only by id.
          pauses: fc.array(fc.constantFrom(0, 0, 1, 50), { minLength: 1, maxLength: 8 }),
        }),
        async ({ rows, limit, arrivals, pauses }) => {
          const harness = await oneOfEverything();
          const { path, add } = listingOf(harness);
          const target = `${path}&limit=${limit}`;
          const before = (await walk(harness.call, target, async () => {})).toReversed();
          let step = 0;
          const pause = (): Promise<void> => harness.service.clock.advance(pauses[step % pauses.length] ?? 0);
          for (; step < rows; step++) {
            before.push(await add());
            await pause();
          }
          const seen = await walk(harness.call, target, async () => {
            const arriving = arrivals[step++ % arrivals.length] ?? 0;
            for (let i = 0; i < arriving; i++) await add();
            await pause();
          });
          expect(seen).toEqual(before.toReversed());
          await harness.service.during(harness.service.trunkline.stop());
        },
      ),
      { seed: 1, numRuns: RUNS },
    );
  },
  60_000,
);

test('the way back shows the rows that arrived meanwhile, newest first, each once', async () => {
  const { call, send } = await oneOfEverything();
  const ids: string[] = [];
  const add = async (): Promise<unknown> => ids.unshift(idOf((await send()).json));
  for (let i = 0; i < 7; i++) await add();
  let page = await call('GET', '/messages?type=text&limit=3');
  page = await call('GET', textOf(page.json.links?.next));
  for (let i = 0; i < 4; i++) await add();
  const back: string[] = idsOf(page);
  while (page.json.links?.prev !== null) {
    page = await call('GET', textOf(page.json.links?.prev));
    back.unshift(...idsOf(page));
  }
  expect(back).toEqual(ids.slice(0, 4 + 6));
});
