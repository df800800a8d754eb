interface Deadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Makes the error that the work rejects with when the time is over. */
  readonly late: () => Error;
}

/** Runs `work`, which must reject with its signal's reason: that of `signal`, or the error from `late`. */
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
