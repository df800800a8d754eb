/** A resource that a storage uses while it is open, such as its connection. */
export interface Closable {
  /** Resolves when no call is in flight that `close` would break. */
  idle?(): Promise<void>;
  close(): Promise<void>;
}

/** Opens and closes a storage, whose other methods may run only while it is open. */
export interface WhileOpen<Open extends Closable> {
  /** The object that `open` made. Throws while the storage is not open. */
  readonly connected: () => Open;
  /** The object that `open` made; null while the storage is not open. */
  readonly current: () => Open | null;
  /** Rejects while the storage is open or is being opened. If `make` fails, the storage stays closed. */
  readonly open: (make: () => Open | Promise<Open>) => Promise<void>;
  /**
   * Waits for an `open` in progress, then closes. Concurrent calls share one close. Does nothing while the storage is
   * not open.
   */
  readonly close: () => Promise<void>;
}

export function whileOpen<Open extends Closable>(): WhileOpen<Open> {
  let current: Open | null = null;
  let opening: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  const begin = async (make: () => Open | Promise<Open>): Promise<void> => {
    current = await make();
  };
  const end = async (): Promise<void> => {
    await opening?.catch(() => undefined);
    const ended = current;
    if (ended?.idle) await ended.idle();
    current = null;
    await ended?.close();
  };

  return {
    connected() {
      if (current) return current;
      throw new Error('The storage is not open: start Trunkline first, or start it again if it was stopped.');
    },
    current: () => current,
    async open(make) {
      if (current || opening)
        throw new Error('The storage is already open: close it first, or create another one.');
      opening = begin(make);
      try {
        await opening;
      } finally {
        opening = null;
      }
    },
    close() {
      closing ??= end().finally(() => (closing = null));
      return closing;
    },
  };
}
