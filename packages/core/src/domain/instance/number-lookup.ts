/** The network's result for a number. */
export interface NumberLookup {
  /** The digits that were asked about. */
  readonly number: string;
  readonly isOnNetwork: boolean;
  /** The digits under which the network registers the number; null if it is not there, or the network does not say. */
  readonly registeredNumber: string | null;
}

/** How long a result is remembered, and the time in which the limit counts. */
export const LOOKUP_KEPT_MS: number = 24 * 60 * 60_000;
/** The most numbers in one request. */
export const LOOKUP_NUMBERS_MAX = 50;

/** A number that the network was asked about, `times` times since `LOOKUP_KEPT_MS` before `askedAt`. */
export interface CountedLookup {
  readonly number: string;
  readonly times: number;
  /** The last time, in epoch milliseconds. */
  readonly askedAt: number;
  /** Null if the network gave none, or none yet. */
  readonly result: NumberLookup | null;
}

export interface LookupRequest {
  readonly numbers: readonly string[];
  readonly now: number;
  /** How often the network may be asked about a number in `LOOKUP_KEPT_MS`. */
  readonly limit: number;
}

export type LookupDecision =
  /** The network is to be asked about `asked`, which are counted from now on. */
  | {
      readonly kind: 'begun';
      readonly remembered: readonly NumberLookup[];
      readonly asked: readonly string[];
    }
  /** Nothing is asked and counted. `freeAt` is when the same request will be within the limit. */
  | { readonly kind: 'limited'; readonly freeAt: number };

/** Decides from all lookups of the instance that were made less than `LOOKUP_KEPT_MS` ago. */
export function decideLookup(
  counted: readonly CountedLookup[],
  { numbers, now, limit }: LookupRequest,
): LookupDecision {
  const results = new Map(counted.flatMap(({ number, result }) => (result ? [[number, result]] : [])));
  const distinct = [...new Set(numbers)];
  const asked = distinct.filter((number) => !results.has(number));
  let excess = counted.reduce((sum, { times }) => sum + times, asked.length) - limit;
  if (asked.length === 0 || excess <= 0)
    return { kind: 'begun', remembered: distinct.flatMap((number) => results.get(number) ?? []), asked };
  let freeAt = now;
  for (const { times, askedAt } of counted.toSorted((a, b) => a.askedAt - b.askedAt)) {
    if (excess <= 0) break;
    excess -= times;
    freeAt = askedAt + LOOKUP_KEPT_MS;
  }
  return { kind: 'limited', freeAt };
}
