import type { Storage } from '@trunkline/core';

/**
 * A storage that opens only once. The server opens it before assembling the service, to report problems of the database
 * before anything is written to disk, and the service then finds it open. Opening it twice would slow the start on a
 * remote database.
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
