import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { text } from 'node:stream/consumers';
import { afterAll, onTestFinished } from 'vitest';
import { freePort } from '@trunkline/test-support/free-port';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { COMMAND_LINE } from './command-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { API_KEY, testClient } from './test-client.ts';
import type { TestClient } from './test-client.ts';

const PRELOAD = new URL('preload.ts', import.meta.url).href;
/** The folders of the machine that the pages name. */
const FOLDERS =
  /(?<![\w.:/-])\/(?:var\/lib\/trunkline|opt\/trunkline|etc\/nginx|var\/log\/nginx|var\/backups\/trunkline)\b/g;

/**
 * A machine set up as in docs/deploy/systemd.md, in its own directory: `trunkline` is the program itself; `sudo`,
 * `systemctl` and `journalctl` are stand-ins that do what their names say.
 */
export interface OperatorsMachine {
  /** The server's address, without a trailing slash. */
  readonly url: string;
  readonly client: TestClient;
  /** The real path for a path on the machine, such as `/var/lib/trunkline`. */
  path(absolute: string): string;
  /** The environment of the operator's shell. */
  readonly environment: Readonly<Record<string, string>>;
  /** Translates a command of a page for this machine. */
  typed(command: string): string;
  /** Translates an output of this machine into the form that a page shows. */
  shown(output: string): string;
  /** Installs a shell script as a program, such as `/bin/npm`. */
  install(name: string, script: string): void;
  /** Resolves when the server is ready or has ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
  setClock(aheadMs: number): Promise<void>;
}

export interface MachineOptions {
  /** Lines of trunkline.toml. */
  readonly settings?: readonly string[];
  /** The size of a separate disk for /var/lib/trunkline, until the test is over. Only root can mount such a disk. */
  readonly diskMb?: number;
}

export async function operatorsMachine({
  settings = [],
  diskMb,
}: MachineOptions = {}): Promise<OperatorsMachine> {
  const root = temporaryDirectory();
  const path = (absolute: string): string => join(root, absolute);
  const home = path('/var/lib/trunkline');
  mkdirSync(home, { recursive: true });
  if (diskMb !== undefined) {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', home]);
    onTestFinished(() => void execFileSync('/bin/umount', ['--lazy', home]));
  }
  for (const folder of [
    path('/opt/trunkline/node_modules/.bin'),
    path('/var/backups/trunkline'),
    path('/bin'),
  ])
    mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const toml = [`port = ${port}`, `api_key = "${API_KEY}"`, 'rate_limit = 0', ...settings];
  writeFileSync(join(home, 'trunkline.toml'), `${toml.join('\n')}\n`, { mode: 0o600 });
  const url = `http://127.0.0.1:${port}`;

  let server: Program | null = null;
  let log = '';
  const start = async (): Promise<void> => {
    const program = startNodeProgram(pathToFileURL(COMMAND_LINE), {
      args: ['serve'],
      nodeArgs: [`--import=${PRELOAD}`],
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, CLOCK_AHEAD_MS: '0' },
      hasChannel: true,
    });
    server = program;
    // The server's output goes to the journal, whether or not it started.
    await program.printed(/^API key/m).catch(() => undefined);
  };
  const stop = async (): Promise<void> => {
    log += server?.output() ?? '';
    const program = server;
    server = null;
    await program?.stop();
  };
  const systemd = createServer((request, response) => {
    const reply = async (): Promise<string> => {
      const args = (await text(request)).split(' ');
      if (request.url === '/journalctl') return journal(log + (server?.output() ?? ''), args);
      if (args.at(-1) !== 'trunkline') return `Unit ${args.at(-1)}.service could not be found.\n`;
      if (args[0] !== 'start') await stop();
      if (args[0] !== 'stop') await start();
      return '';
    };
    reply().then(
      (output) => response.end(output),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(path('/systemd'));
  await once(systemd, 'listening');
  afterAll(() => void systemd.close());

  const install = (name: string, script: string): void => {
    writeFileSync(path(name), `#!/bin/sh\n${script}\n`);
    chmodSync(path(name), 0o755);
  };
  install(
    '/opt/trunkline/node_modules/.bin/trunkline',
    `exec '${process.execPath}' --conditions=source '${COMMAND_LINE}' "$@"`,
  );
  install(
    '/bin/sudo',
    'while :; do case $1 in -H) shift ;; -u) shift 2 ;; --preserve-env=*) shift ;; *) exec "$@" ;; esac; done',
  );
  for (const name of ['systemctl', 'journalctl'])
    install(
      `/bin/${name}`,
      `exec curl --silent --show-error --unix-socket '${path('/systemd')}' --data "$*" http://systemd/${name}`,
    );

  return {
    url,
    client: testClient(url),
    path,
    environment: {
      PATH: `${path('/bin')}:${process.env['PATH']}`,
      HOME: home,
      LANG: 'C.UTF-8',
      TRUNKLINE_URL: url,
      TRUNKLINE_API_KEY: API_KEY,
      NODE_COMPILE_CACHE: join(process.env['TMPDIR'] ?? '/tmp', 'trunkline-compile-cache'),
    },
    typed: (command) =>
      command.replaceAll(FOLDERS, (folder) => path(folder)).replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`),
    shown: (output) =>
      output
        .replaceAll(root, '')
        .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:8080')
        .replaceAll(`port ${port}`, 'port 8080'),
    install,
    start,
    stop,
    async setClock(aheadMs) {
      const set = server?.nextMessage();
      server?.send({ aheadMs });
      await set;
    },
  };
}

/** Returns the last `--lines` lines, without journald's prefixes. */
function journal(log: string, args: readonly string[]): string {
  const lines = Number(args[args.indexOf('--lines') + 1]);
  return `${log.trimEnd().split('\n').slice(-lines).join('\n')}\n`;
}
