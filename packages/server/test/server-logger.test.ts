import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '@trunkline/test-support';
import { startNodeProgram, startProgram } from '@trunkline/test-support/start-program';
import { readableLine } from '../src/telemetry/readable-log.ts';
import { serverLogger } from '../src/telemetry/server-logger.ts';
import { COMMAND_LINE } from './support/command-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

it.skipIf(!existsSync('/dev/full'))(
  'a server whose log cannot be written keeps serving, and ends cleanly',
  async () => {
    const cwd = temporaryDirectory();
    const server = startProgram('/bin/sh', {
      args: ['-c', 'exec "$0" --conditions=source "$@" 2>/dev/full', process.execPath, COMMAND_LINE, 'serve'],
      cwd,
      // This policy makes the server log a warning.
      env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'trace', WEBHOOK_URL_POLICY: 'local' },
    });
    await server.printed(/^API key/m);
    const url = /http:\/\/\S+:\d+/.exec(server.stdout())?.[0] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  },
);

it('lines that cannot be written follow later, in order; a line says how many were lost', () => {
  let room = 0;
  let written = '';
  const logger = serverLogger(
    { logLevel: 'info', logFormat: undefined },
    {
      write: (bytes) => {
        if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        const some = bytes.subarray(0, room);
        room -= some.length;
        written += Buffer.from(some).toString();
        return some.length;
      },
    },
  );
  const text = 'x'.repeat(1_000);
  for (let number = 1; number <= 2_000; number += 1) logger.info({ number }, text);
  room = 500; // not even for one line
  logger.info({ number: 2_001 }, text);
  expect(written).toHaveLength(500);
  room = Infinity;
  logger.info('the first with room');
  logger.info('the next');

  const lines = written
    .trimEnd()
    .split('\n')
    .map((line): { number?: number; lines?: number; msg: string } => JSON.parse(line));
  const kept = lines.flatMap(({ number }) => number ?? []);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => index + 1));
  expect(kept.length).toBeGreaterThan(900);
  expect(lines.map(({ msg }) => msg).slice(-3)).toEqual([
    'the first with room',
    expect.stringContaining('were lost'),
    'the next',
  ]);
  const told = lines.find((line) => line.lines !== undefined);
  expect(told).toMatchObject({ level: 40, lines: 2_001 - kept.length });
});

it('a slow reader delays only the last lines, which it gets', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let refusals = 1;
  let written = '';
  const logger = serverLogger(
    { logLevel: 'info', logFormat: undefined },
    {
      write: (bytes) => {
        refusals -= 1;
        if (refusals >= 0)
          throw Object.assign(new Error('EAGAIN: resource temporarily unavailable'), { code: 'EAGAIN' });
        written += Buffer.from(bytes).toString();
        return bytes.length;
      },
    },
  );
  logger.info('waits');
  expect(written).toBe('');
  vi.advanceTimersByTime(1_000);
  expect(written).toContain('"msg":"waits"');
  refusals = 3;
  logger.fatal('the last');
  expect(written).toContain('"msg":"the last"');
});

it('a warning of Node.js is a line of the log, too', async () => {
  const cwd = temporaryDirectory();
  const warn = `process.once('SIGHUP', () => process.emitWarning('This is an old thing.', 'DeprecationWarning'));`;
  const server = startNodeProgram(pathToFileURL(COMMAND_LINE), {
    args: ['serve'],
    nodeArgs: [`--import=data:text/javascript,${encodeURIComponent(warn)}`],
    cwd,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn' },
  });
  await server.printed(/^API key/m);
  server.signal('SIGHUP');
  await until('it is logged', () => server.stderr().includes('old thing'));
  expect(await server.stop()).toBe(0);
  expect(JSON.parse(server.stderr())).toMatchObject({
    level: 40,
    warning: 'DeprecationWarning',
    err: { message: 'This is an old thing.' },
  });
});

describe('A line of the log at a terminal', () => {
  const entry = {
    level: 40,
    time: new Date(2026, 10, 23, 3, 4, 5, 67).getTime(),
    pid: 4711,
    hostname: 'shop',
  };
  const shown = (more: object, isColored = false): string =>
    readableLine(`${JSON.stringify({ ...entry, ...more })}\n`, { isColored });

  it('has the time, the level, the text, and what it is about', () => {
    expect(
      shown({
        instanceId: 'ins_1',
        reason: 'a long one',
        count: 2,
        roles: ['api'],
        msg: 'it waits: look at it',
      }),
    ).toBe(
      '03:04:05.067 WARN  it waits: look at it instanceId=ins_1 reason="a long one" count=2 roles=["api"]\n',
    );
  });

  it('has the class and the message of an error, and its stack from the level error on', () => {
    const err = { type: 'TypeError', message: 'No.', stack: 'TypeError: No.\n    at there' };
    expect(shown({ err, msg: 'it failed' })).toBe('03:04:05.067 WARN  it failed\n    TypeError: No.\n');
    expect(shown({ level: 50, err, msg: 'it failed' })).toBe(
      '03:04:05.067 ERROR it failed\n    TypeError: No.\n        at there\n',
    );
  });

  it('has colours if they are wanted', () => {
    expect(shown({ level: 60, msg: 'it ends' }, true)).toBe(
      '\u001b[2m03:04:05.067\u001b[22m \u001b[31mFATAL\u001b[39m it ends\n',
    );
  });

  it('does nothing else to the terminal, whatever is in it', () => {
    const hostile = '\u001b[2J\u009b31m\u202e\u0007\r\nforged';
    const line = shown({ [hostile]: hostile, msg: hostile, err: { type: hostile, message: hostile } }, true);
    // oxlint-disable-next-line no-control-regex -- these are what it is about
    const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
    expect(stripVTControlCharacters(line)).not.toMatch(unprintable);
    expect(line.replaceAll('\u001b[', '')).not.toMatch(unprintable);
    expect(line.split('\n').filter((part) => part.startsWith('forged'))).toEqual([]);
  });
});
