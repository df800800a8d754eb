/** The only source of time and timers. */
export interface Clock {
  /**
   * Epoch milliseconds. The clock that you pass to `createTrunkline` may be set back; the one that the service's parts
   * get from it never goes back.
   */
  now(): number;
  /** Milliseconds since an arbitrary moment. They increase evenly even if the clock is set. Only for durations. */
  elapsed(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns a function that cancels this. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
