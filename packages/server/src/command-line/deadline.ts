interface Deadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Makes the error with which the work rejects when the time is over. */
  readonly late: () => Error;
}

/**
 * Runs `work` with a signal that is also aborted when the time is over. `work` must reject with that signal's reason.
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
