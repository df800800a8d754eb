import type { Logger } from '../ports/logger.ts';
import type { Signal } from '../ports/storage/storage.ts';

type Listener = (signal: Signal) => void;

/** Carries the signals of a storage to its subscribers in this process. */
export interface Signals {
  /**
   * Calls the listeners in the order of their subscriptions. If a listener throws, logs the error and calls
   * the others.
   */
  readonly publish: (signal: Signal, logger: Logger) => void;
  /** Returns a function that ends the subscription. */
  readonly subscribe: (listener: Listener) => () => void;
}

export function createSignals(): Signals {
  const listeners = new Set<Listener>();
  return {
    publish(signal, logger) {
      for (const listener of listeners) {
        try {
          listener(signal);
        } catch (error) {
          logger.error(
            { err: error, topic: signal.topic },
            'a listener to the signals of the storage threw: what the signal announced is found later, by polling; this is a defect, so please report it',
          );
        }
      }
    },
    subscribe(listener) {
      // The same function may be subscribed twice; each subscription ends separately.
      const own: Listener = (signal) => listener(signal);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
