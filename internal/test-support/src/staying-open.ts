interface Openable {
  open(context: never): Promise<void>;
  close(): Promise<void>;
}

/**
 * The storage, which opens once and stays open. A database in memory would lose its data when it is closed, and so could
 * not be shared by several services of a test, as processes share a database.
 */
export function stayingOpen<Storage extends Openable>(storage: Storage): Storage {
  let opened: Promise<void> | undefined;
  return {
    ...storage,
    open: (context) => (opened ??= storage.open(context)),
    close: async () => {},
  };
}
