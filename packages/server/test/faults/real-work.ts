import { createHook } from 'node:async_hooks';

/** Tracks this process's work that takes real time, although the service's clock stands still. */
export interface RealWork {
  isInFlight(): boolean;
  /** Waits a millisecond. This wait itself does not count. */
  wait(): Promise<void>;
  stop(): void;
}

/** Requests to the kernel and to the thread pool. Data in a loopback socket arrives within a round of the event loop. */
const REQUESTS = /^(?:FSREQ|FILEHANDLECLOSEREQ|GETADDRINFOREQWRAP|TCPCONNECTWRAP|WRITEWRAP|SHUTDOWNWRAP)/;
const CRYPTO_JOB =
  /^(?:HASH|SIGN|CIPHER|DERIVEBITS|KEYEXPORT|KEYPAIRGEN|KEYGEN|HKDF|PBKDF2|RANDOMBYTES)\w*REQUEST$/;
/**
 * Timers of libraries up to this duration are waited for. Longer timers bound something else, such as the response to a
 * query, and do not fire in a simulation.
 */
const LONGEST_TIMER_MS = 2_500;

/** Starts to track; work that has begun before is not seen. */
export function watchRealWork(): RealWork {
  const inFlight = new Set<number>();
  const timers = new Map<number, NodeJS.Timeout>();
  /** Crypto jobs that were created since the last look: asynchronous ones, and synchronous ones that have ended. */
  const created = new Map<number, object>();
  let isOwn = false;
  const hook = createHook({
    // The work that counts is below promises, and tracking them takes much time.
    trackPromises: false,
    init(id, type, _trigger, resource) {
      if (isOwn) return;
      if (REQUESTS.test(type)) inFlight.add(id);
      else if (isShortTimer(type, resource)) timers.set(id, resource);
      else if (CRYPTO_JOB.test(type)) created.set(id, resource);
    },
    destroy(id) {
      inFlight.delete(id);
      timers.delete(id);
      created.delete(id);
    },
  });
  hook.enable();
  return {
    isInFlight() {
      // Only asynchronous jobs have a callback, which Node sets after it has created the job.
      for (const [id, job] of created) if ('ondone' in job && job.ondone) inFlight.add(id);
      created.clear();
      // Nothing waits for a timer without a reference, such as that of the cached Date header.
      return inFlight.size > 0 || [...timers.values()].some((timer) => timer.hasRef());
    },
    wait: () =>
      new Promise((resolve) => {
        isOwn = true;
        setTimeout(resolve, 1);
        isOwn = false;
      }),
    stop: () => void hook.disable(),
  };
}

function isShortTimer(type: string, resource: object): resource is NodeJS.Timeout {
  if (type !== 'Timeout' || !('_idleTimeout' in resource) || !('_repeat' in resource)) return false;
  return resource._repeat === null && Number(resource._idleTimeout) <= LONGEST_TIMER_MS;
}
