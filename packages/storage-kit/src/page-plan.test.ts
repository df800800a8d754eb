import type { Page, PageRequest } from '@trunkline/core/spi/storage';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pageOf, planPage } from './page-plan.ts';
import type { IdBound } from './page-plan.ts';

const id = fc.integer({ min: 0, max: 20 }).map((number) => String.fromCharCode(97 + number));

const requests: fc.Arbitrary<PageRequest> = fc.record({
  from: fc.option(fc.record({ direction: fc.constantFrom('older', 'newer'), id })),
  limit: fc.integer({ min: 1, max: 5 }),
});

it('a page that is read as planned is that window on the list, and says whether the list continues', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id), requests, (ids, request) => {
      const { order, ahead, count, behind } = planPage(request);
      const sorted = order === 'ASC' ? ids.toSorted() : ids.toSorted().toReversed();
      const read = sorted.filter((one) => ahead === null || isWithin(one, ahead)).slice(0, count);
      const isAnyBehind = behind !== null && ids.some((one) => isWithin(one, behind));
      expect(pageOf(request, read, isAnyBehind)).toEqual(windowOf(ids, request));
    }),
  );
});

function isWithin(one: string, { sign, id: bound }: IdBound): boolean {
  const isBefore = sign.startsWith('<') ? one < bound : one > bound;
  return isBefore || (sign.endsWith('=') && one === bound);
}

/** The page as `Page` defines it, computed from the whole list. */
function windowOf(ids: readonly string[], { from, limit }: PageRequest): Page<string> {
  const list = ids.toSorted().toReversed();
  let start = 0;
  let end = limit;
  if (from?.direction === 'older') {
    start = list.filter((one) => one >= from.id).length;
    end = start + limit;
  } else if (from?.direction === 'newer') {
    end = list.filter((one) => one > from.id).length;
    start = Math.max(0, end - limit);
  }
  return { rows: list.slice(start, end), hasOlder: end < list.length, hasNewer: start > 0 };
}
