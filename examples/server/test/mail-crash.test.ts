import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { startMailServer } from './support/mail-server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const PROGRAM = fileURLToPath(new URL('support/programs/failing-endpoint.ts', import.meta.url));
const TWO_DAYS = 48 * 60;

it('a warning outlives the process that was sending it, and goes out once more under the same id', async () => {
  const server = await startMailServer();
  const database = join(temporaryDirectory(), 'test.db');
  const run = (minutes: number): ChildProcess => {
    const child = fork(PROGRAM, [database, server.url, String(minutes)], {
      execArgv: ['--conditions=source'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };

  // The server has all of the mail, and the process dies before it hears so.
  server.answer('hang');
  const first = run(0);
  await eventually(() => expect(server.mails.length).toBe(1));
  await kill(first);

  server.answer('refuse');
  const second = run(TWO_DAYS + 10);
  await eventually(() => expect(server.mails.length).toBe(2));
  await kill(second);

  server.answer('take');
  const third = run(TWO_DAYS + 20);
  await eventually(() => expect(server.mails.length).toBe(3));
  await kill(third);

  expect(new Set(server.mails.map(({ to }) => to.join()))).toEqual(
    new Set(['ada@example.com,grace@example.com']),
  );
  const ids = server.mails.map(({ source }) => /^Message-ID: <(ntc_\w+)@trunkline>/m.exec(source)?.[1]);
  expect(ids[0]).toMatch(/^ntc_/);
  expect(new Set(ids).size).toBe(1);
});
