import type { Storage } from '@trunkline/core';

/**
 * A storage that the server opens before the service is put together: what is wrong with the database is reported before
 * anything is written to disk. The service, which opens its storage too, then finds it open. Connecting to a database
 * elsewhere is most of what a start waits for.
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
