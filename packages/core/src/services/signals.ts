import type { Logger } from '../ports/logger.ts';
import type { Signal } from '../ports/storage/storage.ts';

type Listener = (signal: Signal) => void;

/** Carries the signals of a storage to its subscribers in this process. */
export interface Signals {
  /** Calls each listener, in the order in which they subscribed. One that throws is logged and keeps none from its signal. */
  readonly publish: (signal: Signal, logger: Logger) => void;
  /** Returns what ends the subscription. */
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
      // The same function may be subscribed twice; each subscription ends by itself.
      const own: Listener = (signal) => listener(signal);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
