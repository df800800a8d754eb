import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startNodeProgram } from '@trunkline/test-support/start-program';

const API_KEY = 'a-key-for-the-tests';
const MAIN = new URL('../start.js', import.meta.url);

it('The example starts the server that the environment asks for, and a signal ends it cleanly', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const server = startNodeProgram(MAIN, {
    cwd: directory,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT: '7', API_KEY },
  });
  const [, url = ''] = await server.printed(/^Trunkline is at (\S+)$/m);
  const response = await fetch(`${url}/instances`, { headers: { Authorization: `Bearer ${API_KEY}` } });
  expect(response.status).toBe(200);
  expect(response.headers.get('X-RateLimit-Limit')).toBe('7');
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toBe('');
});

it('The example says what is wrong with a variable, and exits with 1', async () => {
  const server = startNodeProgram(MAIN, { env: { PATH: process.env['PATH'], PORT: 'http' } });
  expect(await server.ended).toBe(1);
  expect(JSON.parse(server.stderr())).toMatchObject({
    level: 60,
    msg: 'the server cannot start: PORT must be a whole number from 0 to 65535. It is "http".',
  });
});
