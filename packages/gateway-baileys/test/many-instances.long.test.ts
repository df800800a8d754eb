import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../../bench/src/whatsapp-instances.ts', import.meta.url));

it('the WhatsApp gateway keeps many numbers in one process, through a restart and a kill, without losing a message', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=source', bench], {
    env: { ...process.env, INSTANCES: '5', MESSAGES: '4', TEXTS: '2', CHATS: '100' },
  });
  expect(stdout).toMatch(/^every message of 5 numbers arrived once; a clean stop took/m);
  expect(stdout).toMatch(/^\| killed, until all send \| [\d.]+ \|/m);
  expect(stdout).toMatch(/^\| whatsapp-instances \| p99 ms of a text while 10 files stall for each \|/m);
  // The three processes print no lines of libsignal.
  expect(stdout + stderr).not.toMatch(/Closing session|privKey|SessionEntry/);
});
