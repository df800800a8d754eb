/** The network's limits on a number in chats that it has not written in before. */
export class Standing {
  /** The time until which it may start no chats, in milliseconds; null if it may. */
  lockedUntil: number | null = null;
  /** The time until which its new chats are used up, in milliseconds; null if they are not. */
  cappedUntil: number | null = null;
}
