import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { expect, it, onTestFinished } from 'vitest';

it('the program listens for webhooks, refuses those without a signature, and stops cleanly', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'trunkline-chatwoot-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'],
    PORT: '0',
    SECRET_KEY: 'of the tests, with thirty-two characters',
    CHATWOOT_URL: 'http://127.0.0.1:9',
    CHATWOOT_ACCOUNT_ID: '1',
    CHATWOOT_INBOX_ID: '7',
    CHATWOOT_ACCESS_TOKEN: 'a token',
    CHATWOOT_WEBHOOK_SECRET: 'a secret',
  };
  const program = startNodeProgram(new URL('../src/main.ts', import.meta.url), { cwd, env });
  onTestFinished(() => program.kill());
  const [, port = ''] = await program.printed(/port: (\d+)/);
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401);
  expect([await program.stop(), program.stderr()]).toEqual([0, '']);
});
