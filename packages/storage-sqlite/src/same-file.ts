import { statSync } from 'node:fs';
import { UnavailableError } from '@trunkline/core/spi/storage';

/** How often the path is checked. Messages accepted in between may go to a file that is gone. */
const LOOK_EVERY_MS = 1_000;

/**
 * Returns a check that the path still leads to the file that was opened, which throws an `UnavailableError` otherwise.
 * SQLite keeps using a file that was deleted, moved or replaced, and what it writes there is lost.
 */
export function sameFile(file: string): () => void {
  if (file === ':memory:') return () => undefined;
  const opened = identityOf(file);
  let nextLookAt = 0;
  let isSame = true;
  return () => {
    const now = performance.now();
    if (now >= nextLookAt) {
      nextLookAt = now + LOOK_EVERY_MS;
      isSame = identityOf(file) === opened;
    }
    if (!isSame)
      throw new UnavailableError(
        `The database file ${file} was deleted, moved or replaced after it was opened: put the same file back, or stop this process and restore a backup before its next start.`,
      );
  };
}

/** Only `stat`: opening and closing the file would release SQLite's locks on it. */
function identityOf(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}
