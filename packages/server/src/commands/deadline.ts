interface Deadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Returns the error with which `work` rejects when the time is up. */
  readonly late: () => Error;
}

/**
 * Runs `work` with a signal that is aborted together with `signal`, or when the time is up; `extendTo` moves that to a
 * later time. `work` must then reject with the signal's reason.
 */
export async function withDeadline<Value>(
  { seconds, signal, late }: Deadline,
  work: (signal: AbortSignal, extendTo: (at: Date) => void) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  let endsAt = Date.now() + seconds * 1_000;
  const startTimer = (): NodeJS.Timeout => setTimeout(() => limit.abort(late()), endsAt - Date.now());
  let timer = startTimer();
  const extendTo = (at: Date): void => {
    if (at.getTime() <= endsAt) return;
    clearTimeout(timer);
    endsAt = at.getTime();
    timer = startTimer();
  };
  try {
    return await work(AbortSignal.any([signal, limit.signal]), extendTo);
  } finally {
    clearTimeout(timer);
  }
}
