import type { Logger, Signal } from '@trunkline/core/spi/storage';

type Listener = (signal: Signal) => void;

/** Tells of work within this process. */
export interface Signals {
  publish(signal: Signal, logger: Logger): void;
  subscribe(listener: Listener): () => void;
}

export function createSignals(): Signals {
  const listeners = new Set<Listener>();
  return {
    publish(signal, logger) {
      for (const listener of listeners) {
        try {
          listener(signal);
        } catch (error) {
          logger.error({ err: error, topic: signal.topic }, 'a listener of the storage failed');
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
