import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
} from '@whiskeysockets/baileys';
import { currentSend } from './current-send.ts';
import { createNamedLocks } from './named-locks.ts';
import type { SignalKeys } from './signal-keys.ts';

/**
 * How an instance changes its Signal sessions while messages to several chats are sent and received at the same time.
 * Each step of a session is one operation.
 */
export interface SignalOperations {
  /**
   * Runs an operation, alone among those with one of these names. Its changes are seen by all others together at its
   * end, or not at all if it fails. Resolves when they are stored; within a send, when they are seen, since the send
   * stores them all together before it writes its message. An operation within an operation is part of it.
   */
  run<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result>;
  /**
   * Gives these keys, which Baileys uses, operations instead of Baileys' transactions. A transaction outside of an
   * operation only keeps others of its name waiting, and a send's does not even do that.
   */
  takeOver(keys: SignalKeyStoreWithTransaction): void;
}

interface Operation {
  readonly changes: SignalDataSet;
  /** Baileys may leave work behind that goes on after the operation, and is not part of it. */
  isOver: boolean;
}

/** Baileys' lists of the devices that have our key in a group. */
const HOLDERS = 'sender-key-memory';

export function signalOperations(store: SignalKeys): SignalOperations {
  const locks = createNamedLocks();
  const operations = new AsyncLocalStorage<Operation>();
  const transactions = new AsyncLocalStorage<{ readonly name: string; isOver: boolean }>();

  const current = (): Operation | null => {
    const operation = operations.getStore();
    return operation && !operation.isOver ? operation : null;
  };

  const run: SignalOperations['run'] = async (names, work) => {
    if (current()) return work();
    const result = await locks.run(names, async () => {
      const operation: Operation = { changes: {}, isOver: false };
      const done = await operations.run(operation, work).finally(() => {
        operation.isOver = true;
      });
      const send = currentSend();
      await store.put(merged(operation.changes, send?.record ?? {}));
      if (send) send.record = null;
      return done;
    });
    const send = currentSend();
    if (send) send.isAhead = true;
    else await store.stored();
    return result;
  };

  /**
   * Keeps what a send was encrypted with ahead of the message: after a crash, no session may be behind what a phone has
   * seen of it. Baileys reads or writes other keys after it has encrypted a message, and before it writes it.
   */
  const storeAhead = async (): Promise<void> => {
    const send = currentSend();
    if (!send?.isAhead) return;
    // Before the wait, during which more may be encrypted.
    send.isAhead = false;
    await store.stored();
    send.writing();
  };

  const get: SignalKeyStore['get'] = async (type, ids) => {
    const found: { [id: string]: SignalDataTypeMap[typeof type] } = {};
    const operation = current();
    if (!operation) await storeAhead();
    const changed = new Map<string, unknown>(Object.entries(operation?.changes[type] ?? {}));
    const holders = type === HOLDERS ? currentSend()?.holders : null;
    // Copies, because Baileys adds to the list that it gets.
    if (holders) for (const id of ids) changed.set(id, { ...holders });
    const stored = await store.get(
      type,
      ids.filter((id) => !changed.has(id)),
    );
    for (const id of ids) {
      const value = changed.get(id) ?? stored[id];
      if (value) found[id] = value as SignalDataTypeMap[typeof type]; // set under this type
    }
    return found;
  };

  const set: SignalKeyStore['set'] = async (data) => {
    const operation = current();
    if (operation) {
      Object.assign(operation.changes, merged(operation.changes, data));
      return;
    }
    await storeAhead();
    const { [HOLDERS]: holders, ...others } = data;
    // The send itself notes who got the key, once the network has taken the message.
    await store.set(holders && !currentSend()?.holders ? data : others);
  };

  const transaction: SignalKeyStoreWithTransaction['transaction'] = (work, name) => {
    const outer = transactions.getStore();
    if (current() || currentSend() || (outer?.name === name && !outer.isOver)) return work();
    const state = { name, isOver: false };
    return locks.run([name], () =>
      transactions.run(state, () =>
        work().finally(() => {
          state.isOver = true;
        }),
      ),
    );
  };

  return {
    run,
    takeOver: (keys) =>
      void Object.assign(keys, {
        get,
        set,
        transaction,
        isInTransaction: () => current() !== null,
      } satisfies Partial<SignalKeyStoreWithTransaction>),
  };
}

function merged(first: SignalDataSet, second: SignalDataSet): SignalDataSet {
  const types = Object.keys({ ...first, ...second }) as (keyof SignalDataTypeMap)[]; // of sets of Signal keys
  return Object.fromEntries(types.map((type) => [type, { ...first[type], ...second[type] }]));
}
