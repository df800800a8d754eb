import { isTooFarAhead } from '../too-far-ahead.ts';

const MINUTE = 60_000;
/** A message that the network does not take is given up this long after it could first be sent. */
const GIVEN_UP_MS: number = 4 * 60 * MINUTE;
/** A message is retried for at least this long, even if it waited longer than `GIVEN_UP_MS` for its connection. */
const LEAST_TRIED_MS: number = 5 * MINUTE;
const SHORTEST_WAIT_MS = 1_000;
/** No held message waits longer than this to be sent again, whatever its gateway asks for. */
const LONGEST_HOLD_MS: number = 30 * MINUTE;

/** The error of a message that is given up, if its gateway gives no error. */
export const NEVER_TAKEN = {
  code: 'network_busy',
  message:
    'For four hours the network did not take the message, and asked to send it later each time. It was not sent: send it again when the network is less busy.',
} as const;

interface NotSent {
  /** When the message could be sent at the earliest. */
  readonly dueSince: number;
  /** When the network first did not take the message; `now` if this is the first time. */
  readonly heldSince: number;
  /** The wait that the gateway asked for. */
  readonly retryAfterMs: number;
  readonly now: number;
}

/**
 * How long to hold a message that the network does not take for now: as long as the gateway asks, and at least as long
 * as it has been held already, but at most half an hour. Null to give the message up, which never happens before the
 * last wait has ended.
 */
export function holdDelay({ dueSince, heldSince, retryAfterMs, now }: NotSent): number | null {
  const heldFor = isTooFarAhead(heldSince, now) ? 0 : Math.max(0, now - heldSince);
  const age = isTooFarAhead(dueSince, now) ? heldFor : Math.max(0, now - dueSince);
  const left = Math.max(GIVEN_UP_MS - age, LEAST_TRIED_MS - heldFor);
  if (left <= 0) return null;
  const asked = Number.isFinite(retryAfterMs) ? retryAfterMs : MINUTE;
  const wait = Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_WAIT_MS, asked, heldFor));
  return Math.min(wait, left);
}
