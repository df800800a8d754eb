import { join } from 'node:path';
import { clusterFiles } from './cluster-files.ts';
import { DESK_PORT, openDesk } from './desk.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { makeRunDirectory } from './run-directory.ts';
import { makeSharedDirectory } from './shared-directory.ts';

/**
 * Makes a directory for everything temporary of the run, and opens a desk that starts one Postgres for all of it, and
 * makes the files that every further server begins with. Each is made when the first test asks for it, and lives in this
 * process, since those of the test files come and go.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const directory = await makeRunDirectory();
  process.env['TMPDIR'] = directory.path;
  // Each file of tests has a process of its own, and so has most of what they start.
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
