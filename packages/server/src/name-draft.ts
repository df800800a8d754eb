import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { errorCode } from './start-error.ts';

/** The errors of file systems without hard links (exFAT, some of the network). */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Gives a file that is whole its name, and never replaces an existing one. The draft may stay: remove it. Throws the
 * error of the system: EEXIST if something is at the path, including a broken link.
 *
 * Without hard links, the name is taken with an empty file first, which a process that is killed at this moment leaves
 * behind.
 */
export async function nameDraft(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!NO_LINKS.includes(errorCode(error))) throw error;
    await nameWithoutLink(draft, path);
  }
}

async function nameWithoutLink(draft: string, path: string): Promise<void> {
  const place = await open(path, 'wx', 0o600);
  const own = await place.stat();
  await place.close();
  try {
    await rename(draft, path);
  } catch (error) {
    // Removes only the empty file made here, in case another process has replaced it.
    const found = await lstat(path).catch(() => null);
    if (found?.ino === own.ino && found.size === 0) await rm(path, { force: true });
    throw error;
  }
}
