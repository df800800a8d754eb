/** The only source of time and timers. */
export interface Clock {
  /** Epoch milliseconds. A clock that is given to `createTrunkline` may be set back; the one that all parts then get never goes back. */
  now(): number;
  /** Milliseconds since some moment: they go on evenly however `now()` is set. For durations only. */
  elapsed(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
