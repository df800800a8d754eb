import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asNamedUser } from './named-user.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { serverUser } from './server-user.ts';

export interface ClusterFiles {
  /** The directory of `initdb`, `pg_ctl` and `postgres`. */
  readonly binaries: string;
  readonly data: string;
}

/** Omits this process's variables, because variables for another Postgres would mislead the server. */
export const environment = { ...serverUser, cwd: '/', env: { LC_ALL: 'C' } };

/**
 * Returns the files of the server in `directory`. If a killed process left that server running, it is stopped first. If
 * there are no files, copies those of `template`, in which no server has run; without a template, creates them, which
 * takes six times as long.
 */
export async function clusterFiles(directory: string, template?: ClusterFiles): Promise<ClusterFiles> {
  const binaries = template?.binaries ?? (await postgresBinaries(directory));
  const data = join(directory, 'data');
  if (existsSync(data)) {
    // Stops without a checkpoint, like a crash. Fails if no server runs.
    const stop = ['stop', '-D', data, '-m', 'immediate'];
    await run(join(binaries, 'pg_ctl'), stop, environment).catch(() => undefined);
    return { binaries, data };
  }
  // Renamed when complete, so that an incomplete directory is never used.
  const begun = join(directory, 'data.new');
  await rm(begun, { recursive: true, force: true });
  await mkdir(begun, { recursive: true, mode: 0o700 });
  const { uid, gid } = serverUser;
  if (uid !== undefined && gid !== undefined) await chown(begun, uid, gid);
  if (template === undefined) await initdb(binaries, begun);
  else await run('cp', ['-R', '-p', `${template.data}/.`, begun], environment);
  await rename(begun, data);
  return { binaries, data };
}

async function initdb(binaries: string, data: string): Promise<void> {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const [command, args] = asNamedUser(join(binaries, 'initdb'), ['-D', data, ...options]);
  await run(command, args, environment);
}

const run = promisify(execFile);
