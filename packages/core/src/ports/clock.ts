/** The only source of time and timers. */
export interface Clock {
  /**
   * Epoch milliseconds. The clock that you pass to `createTrunkline` may be set back; the clock that the service passes
   * to its parts never goes back.
   */
  now(): number;
  /** Milliseconds since an arbitrary moment, only for durations. They increase evenly even if the clock is set. */
  elapsed(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns a function that cancels the timer. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
