/** Messages that are not stored yet, by network id. Actions on such a message wait until it is stored. */
export interface InFlight {
  /** Returns a function to call once the message is stored. */
  add(networkId: string): () => void;
  /** Resolves when the message is stored; null if no message with this id is in flight. */
  find(networkId: string): Promise<void> | null;
}

export function createInFlight(): InFlight {
  const messages = new Map<string, Promise<void>>();
  return {
    add(networkId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      messages.set(networkId, promise);
      return () => {
        if (messages.get(networkId) === promise) messages.delete(networkId);
        resolve();
      };
    },
    find: (networkId) => messages.get(networkId) ?? null,
  };
}
