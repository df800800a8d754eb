import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Runs the check on a registry that gives this response about vulnerabilities. */
async function check(
  status: number,
  body: object,
): Promise<{ readonly code: unknown; readonly output: string }> {
  const registry = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo; // it listens on TCP
  const env = { ...process.env, CI: 'true', pnpm_config_registry: `http://127.0.0.1:${port}/` };
  return new Promise((resolve) => {
    execFile(
      'npx',
      ['--yes', 'pnpm@12', 'check:vulnerabilities'],
      { cwd: ROOT, env },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

const advisory = (severity: string): object => ({
  hono: [{ id: 1, url: 'https://example.com/1', title: 'Planted', severity, vulnerable_versions: '*' }],
});

it.for([
  ['high', 1],
  ['critical', 1],
  ['moderate', 0],
] as const)(
  'a dependency with a vulnerability that counts as %s ends the check with code %i',
  async ([severity, code]) => {
    const checked = await check(200, advisory(severity));
    expect(checked, checked.output).toMatchObject({ code, output: expect.stringContaining(`1 ${severity}`) });
  },
);

it('passes if the registry cannot be asked, and says so', async () => {
  const checked = await check(405, {});
  expect(checked, checked.output).toMatchObject({
    code: 0,
    output: expect.stringContaining('responded with 405'),
  });
});
