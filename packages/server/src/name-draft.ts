import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { errorCode } from './start-error.ts';

/** How file systems without hard links (exFAT, some of the network) say so. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Gives a file that is whole its name, and never takes the place of what is there. The draft may stay: remove it. Throws
 * what the system says: EEXIST if something is at the path, a link that leads nowhere too.
 *
 * Where there are no hard links, the name is taken with an empty file first, which a process that is killed at this
 * moment leaves behind.
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
    // Only what was made here is removed, should somebody have put another file in its place.
    const found = await lstat(path).catch(() => null);
    if (found?.ino === own.ino && found.size === 0) await rm(path, { force: true });
    throw error;
  }
}
