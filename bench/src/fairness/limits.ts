import type { Arrival } from './receiver.ts';

const MINUTE_MS = 60_000;

export interface MostAtOneEndpoint {
  readonly atOnce: number;
  /** The most requests within any 60 seconds. */
  readonly inAMinute: number;
}

export function mostAtOneEndpoint(log: readonly Arrival[]): MostAtOneEndpoint {
  const endpoints = [...Map.groupBy(log, ({ path }) => path).values()];
  return {
    atOnce: Math.max(...endpoints.map(mostAtOnce)),
    inAMinute: Math.max(...endpoints.map(mostInAMinute)),
  };
}

function mostAtOnce(arrivals: readonly Arrival[]): number {
  const changes = arrivals
    .flatMap(({ at, respondedAt }) => [
      { at, change: 1 },
      { at: respondedAt, change: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.change - b.change);
  let open = 0;
  return Math.max(...changes.map(({ change }) => (open += change)));
}

function mostInAMinute(arrivals: readonly Arrival[]): number {
  const times = arrivals.map(({ at }) => at).toSorted((a, b) => a - b);
  let first = 0;
  return Math.max(
    ...times.map((at, index) => {
      while ((times[first] ?? at) <= at - MINUTE_MS) first += 1;
      return index - first + 1;
    }),
  );
}
