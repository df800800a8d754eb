import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it, vi } from 'vitest';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, signWebhook } from '@trunkline/receiver';
import { readmeBlocks } from './support/readme.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** In the example's own folder, where the packages are installed. */
const folder = fileURLToPath(new URL(`readme-code-${process.pid}/`, import.meta.url));
const [embedding = '', receiving = ''] = readmeBlocks('ts');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

it('The program of the README sends a message and serves a request', async () => {
  const program = write('embedding.ts', embedding);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=source', program], {
    cwd: temporaryDirectory(),
    env: { PATH: process.env['PATH'], SECRET_KEY: 'a-secret-key-of-more-than-32-characters' },
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^msg_\w+ queued$/m);
  expect(stdout).toContain("name: 'Acme'");
});

it('The route of the README takes signed webhooks alone', async () => {
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
