import { isTooFarAhead, latestHold } from '../too-far-ahead.ts';

/** How fast an instance sends, and to how many people whom it has not written to before. */
export interface Pace {
  /** The average; each interval between two messages varies randomly by up to 50%. Null for no intervals. */
  readonly messagesPerMinute: number | null;
  /**
   * The number of people without any message in either direction whom the instance may write to on each of the first
   * ten days after its number was linked. Null for no limit.
   */
  readonly newPeoplePerDay: number | null;
  /** Whether recipients see that the instance is typing before they get a text. */
  readonly typing: boolean;
}

/** The paces that an instance can choose by name. */
export const PACE_NAMES = ['gentle', 'off'] as const;
export type PaceName = (typeof PACE_NAMES)[number];

export const PACES: Readonly<Record<PaceName, Pace>> = {
  gentle: { messagesPerMinute: 20, newPeoplePerDay: 30, typing: false },
  off: { messagesPerMinute: null, newPeoplePerDay: null, typing: false },
};

/** The pace of an instance: the one that was chosen for it, or else the one of its connection. */
export function paceOf(
  { pace }: { readonly pace: PaceName | null },
  connection: { readonly pace?: Pace | undefined } | null,
): Pace {
  return pace === null ? (connection?.pace ?? PACES.off) : PACES[pace];
}

/** The wait after a message, in milliseconds. `jitter` is in [0, 1). */
export function sendInterval({ messagesPerMinute }: Pace, jitter: number): number {
  return messagesPerMinute === null ? 0 : Math.round((60_000 / messagesPerMinute) * (0.5 + jitter));
}

/** How long a person takes for a character, which is fast; and bounds for a whole text. */
const TYPING_MS = 50;
const SHORTEST_TYPING_MS = 1_000;
const LONGEST_TYPING_MS = 5_000;

/** How long to show that a text is being typed, in milliseconds. `jitter` is in [0, 1). */
export function typingTime(text: string, jitter: number): number {
  const full = Math.min(LONGEST_TYPING_MS, Math.max(SHORTEST_TYPING_MS, text.length * TYPING_MS));
  return Math.round(full * (1 - jitter / 2));
}

const DAY_MS = 86_400_000;
/** How long a number counts as new after it was linked. */
const NEW_FOR_DAYS = 10;

/** A day of a new number, in epoch milliseconds. */
interface DayOfNewNumber {
  readonly linkedAt: number;
  readonly from: number;
  readonly until: number;
}

/**
 * The current day of a number that was linked less than ten days ago; null for any other number. Days begin at the time
 * of day at which the number was linked, because its time zone is not known.
 */
export function dayOfNewNumber(linkedAt: number | null, now: number): DayOfNewNumber | null {
  if (linkedAt === null || isTooFarAhead(linkedAt, now)) return null;
  const day = Math.max(0, Math.floor((now - linkedAt) / DAY_MS));
  if (day >= NEW_FOR_DAYS) return null;
  const from = linkedAt + day * DAY_MS;
  return { linkedAt, from, until: from + DAY_MS };
}

/** A held message to a new person is considered again after this time at the latest, which `latestHold` exceeds. */
export const PACED_AGAIN_MS = 1_800_000;

/** Longer than a message that is due may take to be read, and an edit to be stored. */
const READ_WITHIN_MS = 60_000;

/** Whether the pace of the instance still holds a message, so that no process is sending it. Times in epoch milliseconds. */
export function staysPaced(
  { heldSince, dueAt }: { readonly heldSince: number | null; readonly dueAt: number },
  now: number,
): boolean {
  return heldSince === dueAt && dueAt > now + READ_WITHIN_MS && dueAt <= latestHold(now);
}
