import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Miniflare, Response } from 'miniflare';
import { silentLogger } from '@trunkline/core';
import { createNewId } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { describe, it, onTestFinished } from 'vitest';
import { carryOut, portsOf } from '../src/remote-storage.ts';
import { bundledWorker } from './bundled-worker.ts';
import { startServer } from './program.ts';
import { smoke } from './smoke.ts';
import { startReceiver } from './webhook-receiver.ts';

// The smoke test of frameworks.test.ts, for programs of other runtimes, which come from npm. If npm has none for the
// platform, the test is skipped, and says so.

const apiKey = 'the-key-of-the-smoke-test';
const env = { API_KEY: apiKey, PORT: '0' };

describe('the API works', () => {
  it('on Bun', async ({ skip }) => {
    const bun = inBin('bun');
    if (!runs(bun)) return skip('npm has no Bun for this platform.');
    const origin = await startServer(bun, { args: ['--conditions=source', 'src/bun.ts'], env });
    const receiverUrl = await startReceiver();
    await smoke({ origin, fetch, apiKey, everyRole: true, cutsRefusedBodies: true, receiverUrl });
  });

  it('on Deno', async ({ skip }) => {
    const deno = inBin('deno');
    if (!runs(deno)) return skip('npm has no Deno for this platform.');
    const serve = [
      'serve',
      '--allow-all',
      '--no-lock',
      '--conditions=source',
      '--host=127.0.0.1',
      '--port=0',
      'src/deno.ts',
    ];
    const origin = await startServer(deno, { args: serve, env });
    await smoke({ origin, fetch, apiKey, everyRole: true, receiverUrl: await startReceiver() });
  });

  it('on workerd, in the role api', async ({ skip }) => {
    if (!runs(binaryOfMiniflare())) return skip('npm has no workerd for this platform.');
    const storage = sqliteStorage({ path: ':memory:' });
    await storage.open({ newId: createNewId(randomBytes), logger: silentLogger });
    onTestFinished(() => storage.close());
    const workerd = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: await bundledWorker() }],
      compatibilityDate: '2026-04-01',
      compatibilityFlags: ['nodejs_compat'],
      bindings: { API_KEY: apiKey, PORTS: portsOf(storage) },
      serviceBindings: {
        async STORAGE(request: { text(): Promise<string> }) {
          const response = await carryOut(storage, request);
          return new Response(await response.text(), { status: response.status });
        },
      },
    });
    onTestFinished(() => workerd.dispose());
    const { origin } = await workerd.ready;
    await smoke({ origin, fetch, apiKey, everyRole: false, cutsRefusedBodies: true });
  });
});

function inBin(name: string): string {
  return fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
}

function binaryOfMiniflare(): string {
  const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'));
  const workerd: { readonly default: string } = ofMiniflare('workerd');
  return workerd.default;
}

function runs(path: string): boolean {
  return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
}
