import type { Storage } from '@trunkline/core';

/**
 * A storage that the server opens before it assembles the service: problems of the database are reported before
 * anything is written to disk. The service, which opens its storage too, then finds it open. A start mostly waits for
 * the connection to a remote database.
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
