import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { errorCode } from '../errors/start-error.ts';

/** The errors of file systems without hard links (exFAT, some network file systems). */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Gives a complete file its name, and never replaces an existing file. The draft may remain, so the caller removes it.
 * Throws the system's error: EEXIST if something is at the path, including a broken link.
 *
 * Without hard links, an empty file reserves the name first. A process that is killed before the rename leaves the
 * empty file behind.
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
    // Removes only the empty file created above, in case another process has replaced it.
    const found = await lstat(path).catch(() => null);
    if (found?.ino === own.ino && found.size === 0) await rm(path, { force: true });
    throw error;
  }
}
