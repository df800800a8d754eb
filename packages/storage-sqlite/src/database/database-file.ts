import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Returns the same path for a database file however the file is reached. SQLite's log and our lock files are named
 * after the path, and processes that use different symbolic links must find the same log and locks. The file need not
 * exist. A path that cannot be resolved is only made absolute, and opening it fails.
 */
export function databaseFile(path: string): string {
  if (path === ':memory:') return path;
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    return newFile(absolute);
  }
}

/** The file that SQLite creates at a path without a file, or with a link to a missing one. */
function newFile(path: string): string {
  try {
    const directory = realpathSync(dirname(path));
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? newFile(resolve(directory, readlinkSync(path))) : join(directory, basename(path));
  } catch {
    return path;
  }
}
