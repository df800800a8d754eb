const HOUR = 60 * 60_000;
const DAY: number = 24 * HOUR;

/** How long a change of a group is remembered: as long as its idempotency key, and as the longest limit. */
export const GROUP_CHANGE_KEPT_MS: number = DAY;

/** How often an instance may change groups. */
export interface GroupLimits {
  readonly changesPerHour: number;
  /** How many people it may let into groups. */
  readonly newPeoplePerDay: number;
}

/** A change of a group that an instance has begun. */
export interface CountedGroupChange {
  readonly begunAt: number;
  readonly newPeople: number;
}

export type GroupChangeLimit =
  | { readonly kind: 'free' }
  /** `freeAt` is when the same change will be within the limit. */
  | { readonly kind: 'limited'; readonly limit: number; readonly freeAt: number };

/** Decides from all changes of the instance that were begun less than `GROUP_CHANGE_KEPT_MS` ago. */
export function limitGroupChange(
  counted: readonly CountedGroupChange[],
  {
    newPeople,
    now,
    limits,
  }: { readonly newPeople: number; readonly now: number; readonly limits: GroupLimits },
): GroupChangeLimit {
  const changes = freeAt(
    counted.map(({ begunAt }) => ({ at: begunAt, weight: 1 })),
    {
      wanted: 1,
      limit: limits.changesPerHour,
      window: HOUR,
      now,
    },
  );
  const people =
    newPeople === 0
      ? null
      : freeAt(
          counted.map((change) => ({ at: change.begunAt, weight: change.newPeople })),
          {
            wanted: newPeople,
            limit: limits.newPeoplePerDay,
            window: DAY,
            now,
          },
        );
  if (people !== null && people >= (changes ?? 0))
    return { kind: 'limited', limit: limits.newPeoplePerDay, freeAt: people };
  if (changes !== null) return { kind: 'limited', limit: limits.changesPerHour, freeAt: changes };
  return { kind: 'free' };
}

interface Window {
  readonly wanted: number;
  readonly limit: number;
  readonly window: number;
  readonly now: number;
}

/** When enough of the window has passed; null if that is now. More than the limit in one request is never free. */
function freeAt(
  counted: readonly { readonly at: number; readonly weight: number }[],
  { wanted, limit, window, now }: Window,
): number | null {
  const recent = counted.filter(({ at }) => at > now - window).toSorted((a, b) => a.at - b.at);
  let excess = recent.reduce((sum, { weight }) => sum + weight, wanted) - limit;
  if (excess <= 0) return null;
  let free = now + window;
  for (const { at, weight } of recent) {
    if (excess <= 0) break;
    excess -= weight;
    free = at + window;
  }
  return free;
}
