import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { startSmtpServer } from './support/smtp-server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const PROGRAM = new URL('support/programs/failing-endpoint.ts', import.meta.url);
const TWO_DAYS = 48 * 60;

it('a warning outlives the process that was sending it, and is sent again under the same id', async () => {
  const server = await startSmtpServer();
  const database = join(temporaryDirectory(), 'test.db');
  const run = (minutes: number): Program =>
    startNodeProgram(PROGRAM, { args: [database, server.url, String(minutes)] });

  // The process dies after the SMTP server has the whole email, but before the response.
  server.respondWith('hang');
  const first = run(0);
  await eventually(() => expect(server.emails.length).toBe(1));
  await first.kill();

  server.respondWith('refuse');
  const second = run(TWO_DAYS + 10);
  await eventually(() => expect(server.emails.length).toBe(2));
  await second.kill();

  server.respondWith('take');
  const third = run(TWO_DAYS + 20);
  await eventually(() => expect(server.emails.length).toBe(3));
  await third.kill();

  expect(new Set(server.emails.map(({ to }) => to.join()))).toEqual(
    new Set(['ada@example.com,grace@example.com']),
  );
  const ids = server.emails.map(({ source }) => /^Message-ID: <(ntc_\w+)@trunkline>/m.exec(source)?.[1]);
  expect(ids[0]).toMatch(/^ntc_/);
  expect(new Set(ids).size).toBe(1);
});
