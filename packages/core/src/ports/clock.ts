/** The only source of time and timers. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `callback` once, `delayMs` from now at the earliest. Returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}
