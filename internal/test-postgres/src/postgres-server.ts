import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort } from '@trunkline/test-support/free-port';
import { afterExit } from './after-exit.ts';
import { clusterFiles, environment } from './cluster-files.ts';
import type { ClusterFiles } from './cluster-files.ts';
import { askDesk } from './desk.ts';
import { serverUser } from './server-user.ts';
import { makeSharedDirectory } from './shared-directory.ts';

export interface PostgresServerOptions {
  /**
   * Whether a commit waits for the disk; true by default. If false, tests are faster, and commits still survive the end
   * of the server's processes.
   */
  readonly fsync?: boolean;
  /** More settings, such as `max_connections=500`. */
  readonly settings?: readonly string[];
  /**
   * The directory for the server's files, made by `makeSharedDirectory`. Its files stay. If a killed process left a
   * server running there, that server is ended first. If omitted, the files are removed when the server stops or this
   * process ends.
   */
  readonly directory?: string;
  /** By default, any free port. */
  readonly port?: number;
  /** The files to begin with, from a server that is not running; by default, the files of an empty server. */
  readonly template?: ClusterFiles;
}

export interface PostgresServer {
  /** The `postgres://…` URL of a superuser. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection and starts again without a checkpoint, like a crash of the server. */
  crash(): Promise<void>;
  /**
   * Ends every connection, starts another server with the same data, and starts again as a hot standby that follows no
   * server, as after a failover. Returns the other server, which is the primary.
   */
  failOver(): Promise<PostgresServer>;
  /** The id of the server's first process, the parent of all others; undefined while the server does not run. */
  pid(): number | undefined;
  /** Stops the server, and removes its files if no directory was given. */
  stop(): Promise<void>;
}

/**
 * Starts a separate Postgres on 127.0.0.1, from the binaries that npm installed. The server ends with this process,
 * even if this process is killed.
 */
export async function startPostgres({
  fsync = true,
  settings = [],
  directory: given,
  port: wanted,
  template,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const directory = given ?? (await makeSharedDirectory('trunkline-postgres-'));
  const cleaner = afterExit({ directory: given === undefined ? directory : null });
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...(fsync ? [] : ['fsync=off', 'full_page_writes=off']),
    ...settings,
  ].flatMap((flag) => ['-c', flag]);

  try {
    const { binaries, data } = await clusterFiles(directory, template ?? (await askDesk('template')));
    const start = (port: number): Promise<ChildProcess> => {
      const server = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
        ...environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      cleaner.kill(server.pid ?? null);
      server.once('exit', () => cleaner.kill(null));
      return readyServer(server);
    };
    const { port, first } = await startOnFreePort(start, wanted);
    let server = first;
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      pid: () => (hasEnded(server) ? undefined : server.pid),
      async crash() {
        await end(server, 'SIGQUIT');
        server = await start(port);
      },
      async failOver() {
        await end(server, 'SIGINT');
        const primary = await startPostgres({ fsync, settings, template: { binaries, data } });
        await beStandby(data);
        server = await start(port);
        return primary;
      },
      async stop() {
        // Only files that stay need a checkpoint.
        await end(server, given === undefined ? 'SIGQUIT' : 'SIGINT');
        await cleaner.cleanUp();
      },
    };
  } catch (error) {
    await cleaner.cleanUp();
    throw error;
  }
}

/** Starts on `wanted` or, if omitted, on a free port; if that port is taken first, tries another free port. */
async function startOnFreePort(
  start: (port: number) => Promise<ChildProcess>,
  wanted: number | undefined,
): Promise<{ port: number; first: ChildProcess }> {
  for (;;) {
    const port = wanted ?? (await freePort());
    try {
      return { port, first: await start(port) };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (wanted !== undefined || !isTaken) throw error;
    }
  }
}

async function beStandby(data: string): Promise<void> {
  const signal = join(data, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = serverUser;
  if (uid !== undefined && gid !== undefined) await chown(signal, uid, gid);
}

/** Resolves when the server accepts connections; rejects with its last lines if it ends first. */
async function readyServer(server: ChildProcess & { readonly stderr: Readable }): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  const lines: string[] = [];
  createInterface(server.stderr).on('line', (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    if (/database system is ready to accept (read-only )?connections/.test(line)) resolve(server);
  });
  server.once('error', reject);
  server.once('close', () => reject(new Error(`Postgres did not start:\n${lines.join('\n')}`)));
  return promise;
}

const KEPT_LINES = 20;

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(server)) return;
  server.kill(signal);
  await once(server, 'exit');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
