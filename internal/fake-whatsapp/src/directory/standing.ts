/** What the network allows a number to do in chats that it has not written in before. */
export class Standing {
  /** Until when it may start no chats, in milliseconds; null if it may. */
  lockedUntil: number | null = null;
  /** Until when it has used up its new chats, in milliseconds; null if it has not. */
  cappedUntil: number | null = null;
}
