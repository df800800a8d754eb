interface Phases {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Carries out starts and stops one at a time, in the order of the calls. A start rejects if the service runs, and a
 * stop does nothing if the service is stopped.
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

type Operation = (...values: readonly unknown[]) => Promise<unknown>;
/** Operations by name, mostly in groups. */
interface Operations {
  readonly [name: string]: Operation | Operations;
}

/** Whether the service runs. While it does not, operations reject with the error of `check`. */
export interface RunState {
  started(): void;
  stopped(): void;
  /** Throws an Error that names the call to make first. */
  check(): void;
}

export function createRunState(): RunState {
  let obstacle: string | null = 'is not started: await trunkline.start() first';
  return {
    started() {
      obstacle = null;
    },
    stopped() {
      obstacle = 'is stopped: nothing can be asked of it until it is started again';
    },
    check() {
      if (obstacle !== null) throw new Error(`This Trunkline ${obstacle}.`);
    },
  };
}

/** Limits how long the named operation may take. */
type Bound = (name: string, work: Promise<unknown>) => Promise<unknown>;

/**
 * The same operations, each of which rejects while the service does not run. `bound` limits each operation, unless its
 * caller decides how long it takes.
 */
export function whileRunning<Api extends object>(state: RunState, api: Api, bound?: Bound): Api {
  // An API here consists of methods that return promises, and of groups of such methods.
  const guarded = (operations: Operations, path: string): Operations =>
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]): [string, Operation | Operations] => [
        name,
        typeof operation === 'function'
          ? async (...values) => {
              state.check();
              const work = operation(...values);
              return bound && !isPacedByCaller(values) ? bound(path + name, work) : work;
            }
          : guarded(operation, `${path}${name}.`),
      ]),
    );
  return guarded(api as unknown as Operations, '') as unknown as Api;
}

/** Whether the operation reads a stream of the caller, or uses a transaction of the caller. */
function isPacedByCaller(values: readonly unknown[]): boolean {
  return values.some(
    (value) =>
      value instanceof ReadableStream ||
      (typeof value === 'object' &&
        value !== null &&
        (('file' in value && value.file instanceof ReadableStream) ||
          ('transaction' in value && value.transaction !== undefined))),
  );
}
