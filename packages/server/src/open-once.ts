import type { Storage } from '@trunkline/core';

/**
 * A storage that opens only once. The server opens it before assembling the service, so that problems of the database
 * are reported before anything is written to disk; the service then finds it open. This saves time, because most of a
 * start is spent connecting to a remote database.
 */
export function openOnce(storage: Storage): Storage {
  let isOpen = false;
  return {
    ...storage,
    async open(context) {
      if (isOpen) return;
      await storage.open(context);
      isOpen = true;
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await storage.close();
    },
  };
}
