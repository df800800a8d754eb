import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys';

/**
 * Work that Baileys starts within a transaction may outlast it, such as storing a token after sending it. Its writes
 * would join a transaction that is already written, and be lost. Once the transaction has ended, they are made outside
 * of it.
 */
export function leaveEndedTransactions(keys: SignalKeyStoreWithTransaction): void {
  const { get, set, transaction, isInTransaction } = keys;
  const outside = AsyncLocalStorage.snapshot();
  const current = new AsyncLocalStorage<{ isOver: boolean }>();
  const isOver = (): boolean => current.getStore()?.isOver ?? false;
  const inOpen = <T>(work: () => T): T => (isOver() ? outside(work) : work());

  const begin: typeof transaction = (work, key) => {
    // A nested transaction is part of the outer one.
    if (current.getStore()) return transaction(work, key);
    const state = { isOver: false };
    const marked: typeof work = async () => {
      try {
        return await work();
      } finally {
        state.isOver = true;
      }
    };
    return current.run(state, () => transaction(marked, key));
  };

  Object.assign(keys, {
    get: (type, ids) => inOpen(() => get(type, ids)),
    set: (data) => inOpen(() => set(data)),
    transaction: (work, key) => inOpen(() => begin(work, key)),
    isInTransaction: () => !isOver() && isInTransaction(),
  } satisfies Partial<SignalKeyStoreWithTransaction>);
}
