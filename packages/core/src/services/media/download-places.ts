/** Limits how many downloads run concurrently in a process, and for one instance. */
export interface DownloadPlaces {
  /**
   * Waits for a place, and resolves with its release; null if the signal is aborted first. Calls are served
   * in order, except that calls whose instance has no free place are skipped.
   */
  take(instanceId: string, signal: AbortSignal): Promise<Release | null>;
  /** Takes a place without waiting; null if no place is free. */
  tryTake(instanceId: string): Release | null;
  /** How many places of the process are free. */
  free(): number;
}

export type Release = () => void;

interface Waiting {
  readonly instanceId: string;
  readonly begin: () => void;
}

export function createDownloadPlaces({
  ofProcess,
  ofInstance,
}: {
  readonly ofProcess: number;
  readonly ofInstance: number;
}): DownloadPlaces {
  const waiting = new Set<Waiting>();
  const taken = new Map<string, number>();
  let inAll = 0;

  const isFree = (instanceId: string): boolean =>
    inAll < ofProcess && (taken.get(instanceId) ?? 0) < ofInstance;

  const occupy = (instanceId: string): Release => {
    inAll += 1;
    taken.set(instanceId, (taken.get(instanceId) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      inAll -= 1;
      const left = (taken.get(instanceId) ?? 1) - 1;
      if (left === 0) taken.delete(instanceId);
      else taken.set(instanceId, left);
      beginNext();
    };
  };

  const beginNext = (): void => {
    for (const next of waiting) {
      if (inAll >= ofProcess) return;
      if (!isFree(next.instanceId)) continue;
      waiting.delete(next);
      next.begin();
    }
  };

  return {
    free: () => ofProcess - inAll,
    tryTake: (instanceId) => (isFree(instanceId) ? occupy(instanceId) : null),
    take(instanceId, signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (isFree(instanceId)) return Promise.resolve(occupy(instanceId));
      return new Promise((resolve) => {
        const leave = (): void => {
          waiting.delete(inLine);
          resolve(null);
        };
        const inLine: Waiting = {
          instanceId,
          begin() {
            signal.removeEventListener('abort', leave);
            resolve(occupy(instanceId));
          },
        };
        waiting.add(inLine);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
