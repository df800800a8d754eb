import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startNodeProgram, startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { blocksOf, linesInTable, ownLines, source } from './pages.ts';

/** Without SECRET_KEY, which is in the file that the pages' commands create. */
const env = { PATH: process.env['PATH'], PORT: '0' };

/** The page, the program, and the lines that the framework's `create` command or first page already contains. */
const SERVERS = [
  ['express', 'express.ts', /express(\(|'|\.json)|app\.listen|throw error|console\.log|^}\);$/],
  ['fastify', 'fastify.ts', /'fastify'|Fastify\(|app\.listen|console\.log/],
  ['hono', 'hono.ts', /'@hono\/node-server'|'hono'|new Hono|serve\(|console\.log/],
] as const;
/** The same for `npm create fastify`, whose generated plugins already contain such lines. */
const PLUGIN = ['fastify', 'fastify-plugin.mjs', /plugin|app\.log|^}\);$/] as const;
const SCRIPTS = [
  ['script', 'script.ts', /^$/],
  ['commonjs', 'commonjs.cjs', /main\(\)|^}$/],
] as const;
/** The command, and its arguments before the program. */
const OTHER_RUNTIMES: readonly Runtime[] = [
  ['bun', []],
  ['deno', ['run', '--env-file=.env', '--allow-all', '--no-lock']],
];

describe('docs/embed', () => {
  const programs = [...SERVERS, PLUGIN, ...SCRIPTS];

  it.each(programs)('%s shows the program %s, which the tests run', (page, file, framework) => {
    const ofPage = programs.filter(([name]) => name === page).map(([, program]) => source(program));
    expect(blocksOf(page, '(?:ts|js)')).toEqual(ofPage);
    const { length } = ownLines(source(file), framework);
    expect(length).toBe(linesInTable(page));
    expect(length).toBeLessThanOrEqual(15);
  });
});

const ofForm = <One>(all: readonly One[]): readonly One[] => (isLongForm ? all : all.slice(0, 1));

describe('a server sends the first message by the commands of docs/embed, and stops cleanly:', () => {
  it.each(ofForm(SERVERS))('server %s', async (page, file) => {
    const folder = await newFolder();
    await makeKey(page, folder);
    const first = await startServer(file, folder);
    expect(await sendFirstMessage(first)).toMatchObject({ data: { to: '15550100', text: 'Hello' } });
    expect(await first.program.stop()).toBe(0);

    // The second server shares the database, as under `node --watch`, so no key is created or printed.
    const second = await startServer(file, folder);
    expect([first.token, second.token]).toEqual([expect.stringMatching(/^trk_/), null]);
    const headers = { Authorization: `Bearer ${first.token}` };
    const listed = await fetch(`${second.origin}/api/v1/messages`, { headers });
    expect(await listed.json()).toMatchObject({ data: [{ text: 'Hello' }] });
    expect(await second.program.stop()).toBe(0);
  });

  it.runIf(isLongForm).each(SERVERS)(
    'and ends with the reason where its port is in use, in %s',
    async (page, file) => {
      const folder = await newFolder();
      await makeKey(page, folder);
      const other = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void other.close());
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo; // the server uses TCP
      const program = startNodeProgram(new URL(`../src/${file}`, import.meta.url), {
        ...withKey,
        env: { ...env, PORT: String(port) },
        cwd: folder,
      });
      expect(await program.ended).toBe(1);
      expect(program.stderr()).toContain('EADDRINUSE');
    },
  );

  it.runIf(isLongForm)('a plugin of Fastify, which routes of the app use, too', async () => {
    const folder = await newFolder();
    await makeKey('fastify', folder);
    const server = await startServer('../test/fastify-app.mjs', folder);
    expect(await sendFirstMessage(server)).toMatchObject({ data: { to: '15550100', text: 'Hello' } });
    expect(await (await fetch(`${server.origin}/workspaces`)).json()).toMatchObject([
      { name: 'Default workspace' },
    ]);
    expect(await server.program.stop()).toBe(0);
  });
});

it.runIf(isLongForm).for(OTHER_RUNTIMES)(
  'the program of Hono sends the first message on %s',
  async (runtime, { skip }) => {
    if (!isThere(runtime[0])) return skip(`npm has no ${runtime[0]} for this platform.`);
    const folder = await newFolder();
    await makeKey('hono', folder);
    const server = await listening(await startOn(runtime, 'hono.ts', folder));
    expect(await sendFirstMessage(server)).toMatchObject({ data: { to: '15550100', text: 'Hello' } });
  },
);

describe('a program sends a message, which is read, and ends', () => {
  it.each(ofForm(SCRIPTS))('as %s', async (page, file) => {
    const cwd = await newFolder();
    await makeKey(page, cwd);
    const program = startNodeProgram(new URL(`../src/${file}`, import.meta.url), { ...withKey, cwd });
    expect([await program.ended, program.output()]).toEqual([0, expect.stringMatching(/^msg_\w+ read\n$/)]);
  });

  it.runIf(isLongForm).for(OTHER_RUNTIMES)('on %s, with its node:sqlite', async ([name, args], { skip }) => {
    if (!isThere(name)) return skip(`npm has no ${name} for this platform.`);
    const cwd = await newFolder();
    await makeKey('script', cwd);
    const program = await startOn([name, args], 'script.ts', cwd);
    expect([await program.ended, program.output()]).toEqual([0, expect.stringMatching(/^msg_\w+ read\n$/)]);
  });

  it.runIf(isLongForm)('as one file by esbuild, where nothing is installed', async () => {
    const folder = await newFolder();
    const bundle = join(folder, 'app.mjs');
    const [, , , commands = ''] = blocksOf('script', 'sh');
    expect(commands.split('\n')).toEqual([
      'npx esbuild script.ts --bundle --platform=node --format=esm --outfile=app.mjs',
      'node --env-file=.env app.mjs',
      '',
    ]);
    await makeKey('script', folder);
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('../src/script.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['source'], // the packages are not built here
      write: false,
    });
    await writeFile(bundle, outputFiles[0]?.contents ?? '');
    const args = [...withKey.nodeArgs, bundle];
    const program = startProgram(process.execPath, { args, cwd: folder, env });
    expect([await program.ended, program.output()]).toEqual([0, expect.stringMatching(/^msg_\w+ read\n$/)]);
  });
});

type Runtime = readonly [name: string, args: readonly string[]];

function isThere(runtime: string): boolean {
  return spawnSync(commandOf(runtime), ['--version'], { stdio: 'ignore' }).status === 0;
}

/** In a process group, because the command that npm installs starts the runtime as a child. */
async function startOn([name, args]: Runtime, file: string, cwd: string): Promise<Program> {
  const program = fileURLToPath(new URL(`../src/${file}`, import.meta.url));
  return startProgram(commandOf(name), {
    args: [...args, '--conditions=source', program],
    cwd,
    env: { ...env, HOME: await newFolder(), NO_COLOR: '1' },
    isGroup: true,
  });
}

function commandOf(runtime: string): string {
  return fileURLToPath(new URL(`../node_modules/.bin/${runtime}`, import.meta.url));
}

interface Server {
  readonly program: Program;
  readonly origin: string;
  readonly token: string | null;
}

const withKey = { nodeArgs: ['--env-file=.env'], env };

/** Runs the page's command that creates the key, without the one that starts the program. */
async function makeKey(page: string, cwd: string): Promise<void> {
  const [make = '', start = ''] =
    blocksOf(page, 'sh')
      .find((block) => block.startsWith('echo "SECRET_KEY='))
      ?.split('\n') ?? [];
  expect(start).toMatch(/^node --env-file=\.env \w+\.c?[jt]s$/);
  const shell = startProgram('sh', { args: ['-c', make], cwd, env });
  expect([await shell.ended, shell.output()]).toEqual([0, '']);
}

async function startServer(file: string, cwd: string): Promise<Server> {
  return listening(startNodeProgram(new URL(`../src/${file}`, import.meta.url), { ...withKey, cwd }));
}

async function listening(program: Program): Promise<Server> {
  onTestFinished(() => program.kill());
  const [, port = ''] = await program.printed(/port: (\d+)/);
  // The key is printed before the address, so it is already there.
  const [token = null] = /trk_\w+/.exec(program.output()) ?? [];
  return { program, origin: `http://127.0.0.1:${port}`, token };
}

/** In a shell, with the page's commands. Returns the output of the last one. */
async function sendFirstMessage({ origin, token }: Server): Promise<unknown> {
  const [settings = '', commands = ''] = blocksOf('README', 'sh');
  expect(settings).toMatch(/^api=http:\/\/127\.0\.0\.1:3000\/api\/v1$/m);
  const script = `api=${origin}/api/v1\nAPI_KEY=${token}\nset -e\n${commands}`;
  const shell = startProgram('sh', { args: ['-c', script], env });
  onTestFinished(() => shell.kill());
  expect([await shell.ended, shell.stderr()]).toEqual([0, '']);
  return JSON.parse(shell.stdout().trim().split('\n').at(-1) ?? '');
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-embed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
