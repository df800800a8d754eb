import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, signWebhook } from '@trunkline/receiver';
import { until } from '@trunkline/test-support';
import { blocksOf } from './support/blocks-of.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** The folder is in this package, so that the code can import the package's dependencies. */
const folder = fileURLToPath(new URL(`readme-code-${process.pid}/`, import.meta.url));
const [embedding = '', receiving = ''] = blocksOf('README.md', 'ts');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

it('the program of the README sends a message and reports that it was sent', async () => {
  const program = spawn(process.execPath, ['--conditions=source', write('embedding.ts', embedding)], {
    cwd: temporaryDirectory(),
    env: { PATH: process.env['PATH'], SECRET_KEY: 'a-secret-key-of-more-than-32-characters' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'exit');
  let output = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    await until(
      'it has sent its message, or has ended',
      async () => program.exitCode !== null || / sent$/m.test(output),
    );
    const [id] = /msg_\w+/.exec(output) ?? [];
    expect(output.split('\n').toSorted()).toEqual(['', `${id} queued`, `${id} sent`]);
  } finally {
    program.kill('SIGKILL');
    await ended;
  }
});

it('the route of the README accepts only signed webhooks', async () => {
  const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
  vi.stubEnv('WEBHOOK_SECRET', secret);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const { POST } = await import(write('receiving.ts', receiving));
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'message.received',
    created_at: '2026-11-20T21:00:00.000000Z',
    workspace_id: 'ten_1',
    data: { message: { from: '15550100', text: 'Hi' } },
  });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = await signWebhook({ secret, timestamp, body });
  const headers = { [TIMESTAMP_HEADER]: String(timestamp), [SIGNATURE_HEADER]: signature };
  const post = (content: string): Request =>
    new Request('https://example.com/hook', { method: 'POST', headers, body: content });
  expect((await POST(post(body))).status).toBe(204);
  expect((await POST(post(`${body} `))).status).toBe(401);
  expect(log.mock.calls).toEqual([['evt_1', '15550100', 'Hi']]);
});
