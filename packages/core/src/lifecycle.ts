interface Phases {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One start or stop at a time, in the order of the calls: a stop waits for a start that is in progress, and a start for
 * a stop. A second start rejects, and a second stop has nothing to do.
 */
export function lifecycle(phases: Phases): Phases {
  let isRunning = false;
  let latest: Promise<void> = Promise.resolve();

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = latest.then(work);
    latest = result.catch(() => undefined);
    return result;
  };

  return {
    start: () =>
      inTurn(async () => {
        if (isRunning) {
          throw new Error('trunkline.start: it is already started; call stop() before you start it again.');
        }
        await phases.start();
        isRunning = true;
      }),
    stop: () =>
      inTurn(async () => {
        if (!isRunning) return;
        isRunning = false;
        await phases.stop();
      }),
  };
}
