import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideLookup, LOOKUP_KEPT_MS } from './number-lookup.ts';
import type { CountedLookup } from './number-lookup.ts';

const NOW = 1_000_000_000;

const counted = fc.uniqueArray(
  fc
    .record({
      number: fc.integer({ min: 1, max: 30 }).map(String),
      times: fc.integer({ min: 1, max: 3 }),
      age: fc.integer({ min: 0, max: LOOKUP_KEPT_MS - 1 }),
      isAnswered: fc.boolean(),
    })
    .map(({ number, times, age, isAnswered }): CountedLookup => ({
      number,
      times,
      askedAt: NOW - age,
      result: isAnswered ? { number, isOnNetwork: true, registeredNumber: number } : null,
    })),
  { selector: ({ number }) => number, maxLength: 12 },
);

it('asks the network about each number once that is not remembered, never beyond the limit, and says when it may', () => {
  fc.assert(
    fc.property(
      counted,
      fc.array(fc.integer({ min: 1, max: 30 }).map(String), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 5, max: 20 }),
      (rows, numbers, limit) => {
        const decision = decideLookup(rows, { numbers, now: NOW, limit });
        const known = new Set(rows.flatMap(({ number, result }) => (result ? [number] : [])));
        const unknown = [...new Set(numbers)].filter((number) => !known.has(number));
        const spent = rows.reduce((sum, { times }) => sum + times, 0);
        const isWithin = unknown.length === 0 || spent + unknown.length <= limit;
        expect(decision.kind).toBe(isWithin ? 'begun' : 'limited');
        if (decision.kind === 'begun') {
          expect(decision.asked).toEqual(unknown);
          expect(decision.remembered.map(({ number }) => number).toSorted()).toEqual(
            [...new Set(numbers)].filter((number) => known.has(number)).toSorted(),
          );
          return;
        }
        const at = (now: number) =>
          decideLookup(
            rows.filter(({ askedAt }) => askedAt > now - LOOKUP_KEPT_MS),
            { numbers: unknown, now, limit },
          ).kind;
        expect(decision.freeAt).toBeGreaterThan(NOW);
        expect(at(decision.freeAt)).toBe('begun');
      },
    ),
  );
});
