import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram } from '@trunkline/test-support/built-program';
import { freePort } from '@trunkline/test-support/free-port';
import { startProgram } from '@trunkline/test-support/start-program';
import { describe, expect, it, onTestFinished } from 'vitest';

const PAGE = '../../../docs/receive/test-your-app.md';
const CLI = await builtProgram(new URL('../../../packages/server/src/cli.ts', import.meta.url));
const missing = ['python3', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0);

describe('docs/receive/test-your-app.md', () => {
  it.each([
    ['hours-later.test.ts', 'hours-later.test.ts'],
    ['ci/with-trunkline.sh', '../ci/with-trunkline.sh'],
    ['test_orders.py', '../ci/test_orders.py'],
  ])('shows the code of the tests: %s', async (title, path) => {
    expect(await block(PAGE, title)).toBe(await read(path));
  });

  it('has a script for CI that runs tests in Python next to a server, and stops it', async ({ skip }) => {
    if (missing.length > 0) return skip(`this machine has no ${missing.join(', ')}`);
    const folder = await newFolder(`exec '${process.execPath}' --conditions=source '${CLI}' "$@"`);
    await writeFile(join(folder, 'webhook.py'), await block('../../../docs/receive/python.md', 'webhook.py'));
    const port = await freePort();
    const { end, output } = await run(folder, await commandOfCi(), port);
    expect([end, output]).toEqual([0, expect.stringMatching(/Ran 2 tests[^]*OK/)]);
    expect(await isOpen(port)).toBe(false);
  });

  it('has a script for CI that fails with the log of a server that does not start', async ({ skip }) => {
    if (missing.length > 0) return skip(`this machine has no ${missing.join(', ')}`);
    const folder = await newFolder('echo no disk; exit 1');
    const { end, output } = await run(folder, 'sh ci/with-trunkline.sh echo tested', await freePort());
    expect([end, output]).toEqual([1, expect.stringContaining('no disk')]);
    expect(output).not.toContain('tested');
  });
});

/** The command that runs the tests, which must be the same in the files for both CI services. */
async function commandOfCi(): Promise<string> {
  const files = await Promise.all(
    ['.github/workflows/test.yml', '.gitlab-ci.yml'].map((name) => block(PAGE, name)),
  );
  const commands = files.map((file) => /sh ci\/with-trunkline\.sh .*/.exec(file)?.[0] ?? '');
  expect(commands[0]).toBe(commands[1]);
  return commands[0] ?? '';
}

/** A folder like an app's, with a program `trunkline`. */
async function newFolder(trunkline: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-ci-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(fileURLToPath(new URL('../ci', import.meta.url)), join(folder, 'ci'), { recursive: true });
  await cp(join(folder, 'ci/test_orders.py'), join(folder, 'test_orders.py'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/trunkline'), `#!/bin/sh\n${trunkline}\n`);
  await chmod(join(folder, 'bin/trunkline'), 0o755);
  return folder;
}

async function run(folder: string, command: string, port: number): Promise<{ end: unknown; output: string }> {
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder, PORT: `${port}` };
  const program = startProgram('sh', { args: ['-c', command], cwd: folder, env, isGroup: true });
  return { end: await program.ended, output: program.output() };
}

async function block(page: string, title: string): Promise<string> {
  const blocks = (await read(page)).matchAll(/^```\w+ title="(.*?)"\n(.*?)^```$/gms);
  return Array.from(blocks).find(([, name]) => name === title)?.[2] ?? '';
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
