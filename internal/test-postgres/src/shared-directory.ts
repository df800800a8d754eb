import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUser } from './server-user.ts';

/** The parents of temporary directories. TMPDIR may be closed to other users, so root tries further parents. */
export function temporaryParents(): readonly string[] {
  return serverUser.uid === undefined ? [tmpdir()] : [...new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm'])];
}

/** Makes an empty directory that Postgres can enter and run programs from, whichever user it runs as. */
export async function makeSharedDirectory(prefix: string): Promise<string> {
  const problems: string[] = [];
  for (const parent of temporaryParents()) {
    try {
      return await makeIn(parent, prefix);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    'Postgres needs a directory that it can enter and run programs from, and found none. ' +
      `Set TMPDIR to one that every user can enter, or run the tests as a user other than root.\n${problems.join('\n')}`,
  );
}

async function makeIn(parent: string, prefix: string): Promise<string> {
  const directory = await mkdtemp(join(parent, prefix));
  if (serverUser.uid === undefined) return directory;
  try {
    await chmod(directory, 0o711);
    const program = join(directory, 'probe');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    await promisify(execFile)(program, { ...serverUser, cwd: '/' });
    await rm(program);
    return directory;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
