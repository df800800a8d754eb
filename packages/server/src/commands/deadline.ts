interface Deadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Returns the error with which `work` rejects when the time is up. */
  readonly late: () => Error;
}

/**
 * Runs `work` with a signal that is aborted together with `signal`, or when the time is up. `work` must then reject
 * with the signal's reason.
 */
export async function withDeadline<Value>(
  { seconds, signal, late }: Deadline,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(late()), seconds * 1_000);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
