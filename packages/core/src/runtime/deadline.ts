import type { Clock } from '../ports/clock.ts';

type Timers = Pick<Clock, 'setTimer'>;

/** Reports that work has not settled within its deadline. */
export class DeadlineError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${ms} ms.`);
    this.name = 'DeadlineError';
  }
}

/** Rejects with a `DeadlineError` if `work` has not settled in time; the work is not stopped. */
export function withDeadline<Value>(
  clock: Timers,
  { what, ms }: { readonly what: string; readonly ms: number },
  work: Promise<Value>,
): Promise<Value> {
  return unlessLate(clock, ms, work, () => new DeadlineError(what, ms));
}

/** The same as `withDeadline`, but with the error that `late` makes when `ms` have passed. */
export function unlessLate<Value>(
  clock: Timers,
  ms: number,
  work: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () => reject(late()));
    void work.then(resolve, reject).finally(cancel);
  });
}

/** Resolves as soon as `work` settles or `ms` have passed. The value says whether `work` has settled. */
export function settledWithin(clock: Timers, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(ms, () => resolve(false));
    const onSettled = (): void => {
      cancel();
      resolve(true);
    };
    work.then(onSettled, onSettled);
  });
}

export function pause(clock: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(ms, resolve);
  });
}
