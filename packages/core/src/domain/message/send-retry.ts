/**
 * The waits before a message is sent again under the same network id, because the outcome of the last send is unknown.
 */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000] as const;

export const SEND_OUTCOME_UNKNOWN = {
  code: 'send_outcome_unknown',
  message:
    'In five tries the network did not say whether it took the message. It may have arrived: ask the recipient before you send it again.',
} as const;

/** The error of a message that had an attempt with an unknown outcome, and that the network then did not take. */
export const UNKNOWN_BEFORE_HELD = {
  code: 'send_outcome_unknown',
  message:
    'The network did not say whether it took the message, and did not take it again for hours. It may have arrived: ask the recipient before you send it again.',
} as const;

/** The wait after `tries` sends without a response; null to give the message up. */
export function sendRetryDelay(tries: number): number | null {
  return WAITS_MS[tries - 1] ?? null;
}
