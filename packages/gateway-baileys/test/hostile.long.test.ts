import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../../bench/src/whatsapp-hostile.ts', import.meta.url));

/** The hour: HOSTILE_MINUTES=60 HOSTILE_NUMBERS=50 HOSTILE_EVERY_MS=10000. */
const SHORT = {
  HOSTILE_MINUTES: '1',
  HOSTILE_NUMBERS: '3',
  HOSTILE_EVERY_MS: '3000',
  HOSTILE_DISTURB_MS: '4000',
};

it(
  'WhatsApp numbers lose, double and reorder nothing while the network is hostile and the server is killed',
  { timeout: 7_200_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', bench], {
      env: { ...SHORT, ...process.env },
    });
    expect(stdout).not.toMatch(/^MISSED/m);
    expect(stdout).toMatch(/^reached: numbers in error 0/m);
  },
);
