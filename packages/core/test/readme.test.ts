import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { createTrunkline } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { testRuntime } from '../src/testing/index.ts';
import { SECRET_KEY } from './support/harness.ts';
import { Servers } from './node/servers.ts';
import { memoryStorage } from './support/memory-storage.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
/** A folder inside the package, where the package's own name resolves. */
const folder = new URL(`readme-code-${process.pid}/`, import.meta.url);
const servers = new Servers();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await servers.close();
});

/** Runs the README's program that imports the function `name`. Returns its output. */
async function run(name: string, url: string, changed = (code: string): string => code): Promise<string> {
  const code = Array.from(readme.matchAll(/^```ts\n(.*?)^```$/gms), ([, block = '']) => block).find((block) =>
    block.includes(`import { ${name}`),
  );
  if (code === undefined) throw new Error(`The README has no program with ${name}.`);
  mkdirSync(folder, { recursive: true });
  const program = new URL(`${name}.ts`, folder);
  writeFileSync(program, changed(code));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=source',
    fileURLToPath(program),
    url,
  ]);
  return stdout.trim();
}

it.each([
  ['https://[::ffff:10.0.0.1]/', 'refused: The host of the URL must have a public address.'],
  ['https://localhost/', 'refused: The host has an address that is not public.'],
  ['https://8.8.8.8/', 'connect to one of 8.8.8.8'],
])('The rules of the README check %s', async (url, printed) => {
  expect(await run('checkUrl', url)).toBe(printed);
});

it('The request of the README goes where it may', async () => {
  const { port } = await servers.http((_, response) => response.writeHead(204).end());
  const local = (code: string): string => code.replace('{ signal });', "{ signal, policy: 'local' });");
  expect(await run('connectSafely', `http://127.0.0.1:${port}/`, local)).toBe('204');
  await expect(run('connectSafely', `http://127.0.0.1:${port}/`)).rejects.toThrow('UNSAFE_URL');
});

it('docs/writing-a-storage.md names everything that a storage has, and the order in which to write its ports', () => {
  const page = readFileSync(new URL('../../../docs/writing-a-storage.md', import.meta.url), 'utf8');
  const has = page.slice(page.indexOf('## The port'), page.indexOf('Some things are easy to miss'));
  const [order = ''] = /^Write the ports in this order.*?\n\n/ms.exec(page) ?? [];
  for (const [name, part] of Object.entries(memoryStorage())) {
    expect(has).toContain(`\`${name}\``);
    if (typeof part !== 'function') expect(order).toContain(`\`${name}\``);
  }
});

it('The README names everything that a Trunkline has', () => {
  const { gateway } = createSandbox();
  const trunkline = createTrunkline({
    ...testRuntime(),
    storage: memoryStorage(),
    gateways: [gateway],
    secretKey: SECRET_KEY,
  });
  const has = readme.slice(readme.indexOf('## What it has'), readme.indexOf('## Events'));
  for (const name of Object.keys(trunkline)) expect(has).toMatch(new RegExp(`\`${name}[\`(.]`));
  for (const name of Object.keys(trunkline.admin)) expect(has).toContain(`\`admin.${name}\``);
  const operations = Object.keys(trunkline.workspace('ten_none')).filter((name) => name !== 'apiKey');
  expect(operations).not.toEqual([]);
  for (const name of operations) expect(has).toContain(`\`${name}\``);
});
