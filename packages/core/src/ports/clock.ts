/** The only source of time and timers. */
export interface Clock {
  /**
   * Epoch milliseconds. The clock that you pass to `createTrunkline` may be set back; the one that the service's parts
   * get from it never goes back.
   */
  now(): number;
  /** Milliseconds since some moment. They increase evenly even if the clock is set. For durations only. */
  elapsed(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns a function that cancels this. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
