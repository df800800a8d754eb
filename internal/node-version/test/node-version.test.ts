import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { NEEDED_NODE, nodeVersionProblem } from '@trunkline/node-version';
import type { RuntimeGlobals } from '@trunkline/node-version';

test.each(['18.20.8', '20.20.2', '21.7.3', '22.0.0', '22.9.0', '22.18.0'])('Node %s is too old', (node) => {
  const runtime = { process: { versions: { node }, execPath: '/usr/bin/node' } };
  const sentence = `Trunkline needs Node.js 22.19 or newer, but this is Node.js ${node} (/usr/bin/node).`;
  expect(nodeVersionProblem(runtime)).toBe(sentence);
  expect(nodeVersionProblem({ ...runtime, navigator: { userAgent: 'Node.js/22' } })).toBe(sentence);
});

test.each(['22.19.0', '22.20.1', '23.0.0', '24.21.0', '26.0.0-nightly2026'])('Node %s passes', (node) => {
  expect(nodeVersionProblem({ process: { versions: { node } } })).toBeUndefined();
});

test('the Node that runs the tests is new enough', () => {
  expect(nodeVersionProblem(globalThis)).toBeUndefined();
});

const others: Record<string, RuntimeGlobals> = {
  Bun: { process: { versions: { node: '20.0.0', bun: '1.1.0' } } },
  Deno: { process: { versions: { node: '20.11.1', deno: '2.0.0' } } },
  'a Cloudflare worker': {
    process: { versions: { node: '20.0.0' } },
    navigator: { userAgent: 'Cloudflare-Workers' },
  },
  'a runtime without process': {},
  'a bundler that imitates process': { process: { versions: {} } },
};

test.each(Object.entries(others))('%s is not refused for the Node that it imitates', (_name, runtime) => {
  expect(nodeVersionProblem(runtime)).toBeUndefined();
});

test('every published package names the same version in its engines, and checks it', async () => {
  const root = new URL('../../../', import.meta.url);
  let checked = 0;
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    const manifest: unknown = JSON.parse(await readFile(new URL(path, root), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'private' in manifest) continue;
    // n8n runs the package on its own Node.
    if (typeof manifest === 'object' && manifest !== null && 'n8n' in manifest) continue;
    expect(manifest, path).toMatchObject({
      engines: { node: `>=${NEEDED_NODE}` },
      imports: { '#node-version': './dist/node-version.js' },
      sideEffects: ['./dist/node-version.js'],
    });
    checked += 1;
  }
  expect(checked).toBeGreaterThan(0);
});
