/** Has files of one instance downloaded concurrently, and more of them wait in the order in which they came. */
export interface DownloadTurns {
  /** Runs `work` when fewer than the limit are in flight. */
  take<Value>(work: () => Promise<Value>): Promise<Value>;
}

export function createDownloadTurns(limit: number): DownloadTurns {
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  return {
    async take(work) {
      if (inFlight < limit) inFlight += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // Passes its turn on to the next in line.
        const next = waiting.shift();
        if (next) next();
        else inFlight -= 1;
      }
    },
  };
}
