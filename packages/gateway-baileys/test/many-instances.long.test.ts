import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../../bench/src/whatsapp-instances.ts', import.meta.url));

it('the WhatsApp gateway keeps many numbers in one process, through a restart and a kill, without losing a message', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=source', bench], {
    env: { ...process.env, INSTANCES: '5', MESSAGES: '4' },
  });
  expect(stdout).toMatch(/^5 instances paired by QR in .* MB per instance$/m);
  expect(stdout).toMatch(/^killed and started again: all 5 online again without a QR after [\d.]+ s$/m);
  expect(stdout).toMatch(/^every message arrived once; every instance still sends$/m);
  // The three processes print no lines of libsignal.
  expect(stdout + stderr).not.toMatch(/Closing session|privKey|SessionEntry/);
});
