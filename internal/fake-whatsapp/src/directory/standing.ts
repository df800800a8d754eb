export class Standing {
  /** The time until which the number may not start chats, in milliseconds; null if it may. */
  lockedUntil: number | null = null;
  /** The time until which the number has no new chats left, in milliseconds; null if some are left. */
  cappedUntil: number | null = null;
}
