import type { Clock } from '@trunkline/core/spi/gateway';

/** Rejects when the work has not settled in time; the work itself is not stopped. */
export function withDeadline<Value>(clock: Clock, ms: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () => reject(new Error(`No answer in ${ms} ms.`)));
    void work.then(resolve, reject).finally(cancel);
  });
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(ms, resolve);
  });
}
