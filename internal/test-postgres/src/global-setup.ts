import { join } from 'node:path';
import { clusterFiles } from './cluster-files.ts';
import { DESK_PORT, openDesk } from './desk.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { makeRunDirectory } from './run-directory.ts';
import { makeSharedDirectory } from './shared-directory.ts';

/**
 * Makes a directory for all temporary files of the run, and opens a desk, which starts one Postgres for the run and
 * makes the files that further servers copy, each when a test first asks for it. Both belong to this process, because
 * the processes of the test files come and go.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const directory = await makeRunDirectory();
  process.env['TMPDIR'] = directory.path;
  // Most test files, and the programs that they start, are separate processes that share this cache.
  process.env['NODE_COMPILE_CACHE'] ??= join(directory.path, 'trunkline-compile-cache');

  let server: Promise<PostgresServer> | undefined;
  const desk = await openDesk({
    template: async () => clusterFiles(await makeSharedDirectory('trunkline-postgres-template-')),
    async server() {
      server = startPostgres({ fsync: false });
      return (await server).url;
    },
  });
  process.env[DESK_PORT] = String(desk.port);
  return async () => {
    desk.close();
    await (await server?.catch(() => undefined))?.stop();
    await directory.remove();
    delete process.env[DESK_PORT];
    restore('TMPDIR', TMPDIR);
    restore('NODE_COMPILE_CACHE', NODE_COMPILE_CACHE);
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
