import type { ServiceContext } from '../services/context.ts';
import { createEventWorker } from './event-worker.ts';
import type { EventWorker, HandlerDefinition } from './event-worker.ts';

/** All handlers of this process. They run whatever the process's roles are. */
export interface EventWorkers {
  /** Throws a TypeError if the name is already in use. */
  add(definition: HandlerDefinition): { readonly registered: Promise<void>; off(): Promise<void> };
  isEmpty(): boolean;
  /** Stores the subscriptions of all handlers added so far. */
  register(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createEventWorkers(context: ServiceContext): EventWorkers {
  const workers = new Map<string, EventWorker>();
  let isStarted = false;
  let unsubscribe = (): void => {};

  return {
    add(definition) {
      const { name } = definition;
      if (workers.has(name)) {
        throw new TypeError(
          `trunkline.on: the name "${name}" is already in use in this process: give this handler another one, with the option "name".`,
        );
      }
      const worker = createEventWorker(context, definition);
      workers.set(name, worker);
      if (isStarted) worker.start();
      return {
        registered: worker.registered,
        async off() {
          await worker.stop();
          if (workers.get(name) === worker) workers.delete(name);
        },
      };
    },
    isEmpty: () => workers.size === 0,
    async register() {
      for (const worker of workers.values()) await worker.register();
    },
    start() {
      isStarted = true;
      unsubscribe = context.storage.subscribe((signal) => {
        if (signal.topic !== 'subscriptions') return;
        for (const worker of workers.values()) worker.wake();
      });
      for (const worker of workers.values()) worker.start();
    },
    async stop() {
      isStarted = false;
      unsubscribe();
      await Promise.all([...workers.values()].map((worker) => worker.stop()));
    },
  };
}
