import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { makeRunDirectory } from './run-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the processes of the run ask for their Postgres. */
    postgresPort: number;
  }
}

/**
 * A directory for everything temporary of the run, and one Postgres for all of it, started when the first test asks for
 * it: a run that needs none starts none. It lives in this process, since those of the test files come and go.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const directory = await makeRunDirectory();
  process.env['TMPDIR'] = directory.path;
  // Each file of tests has a process of its own, and so has most of what they start.
  process.env['NODE_COMPILE_CACHE'] ??= join(directory.path, 'trunkline-compile-cache');

  let server: Promise<PostgresServer> | undefined;
  const respond = async (socket: Socket): Promise<void> => {
    server ??= startPostgres({ fsync: false });
    const reply = await server.then(
      ({ url }) => ({ url }),
      ({ message }: Error) => ({ problem: message }),
    );
    socket.end(JSON.stringify(reply));
  };
  const desk = createServer((socket) => void respond(socket)).listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  project.provide('postgresPort', address.port);
  return async () => {
    desk.close();
    await (await server?.catch(() => undefined))?.stop();
    await directory.remove();
    restore('TMPDIR', TMPDIR);
    restore('NODE_COMPILE_CACHE', NODE_COMPILE_CACHE);
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
