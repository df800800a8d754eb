/** The only source of time and timers. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since some moment: they go on evenly whatever becomes of `now()`. For durations only. */
  elapsed(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
