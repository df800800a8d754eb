import type { Clock } from '../ports/clock.ts';

export class DeadlineError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms.`);
    this.name = 'DeadlineError';
  }
}

/** Rejects with a `DeadlineError` when the work has not settled in time; the work itself is not stopped. */
export function withDeadline<Value>(
  clock: Clock,
  { what, ms }: { readonly what: string; readonly ms: number },
  work: Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () => reject(new DeadlineError(what, ms)));
    void work.then(resolve, reject).finally(cancel);
  });
}

/** Whether the work has settled, one way or the other, when it has or `ms` have passed. */
export function settledWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return withDeadline(clock, { what: 'The work', ms }, work).then(
    () => true,
    (error: unknown) => !(error instanceof DeadlineError),
  );
}
