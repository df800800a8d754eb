import { existsSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startProgram } from '@trunkline/test-support/start-program';
import { serverLogger } from '../src/server-logger.ts';
import { COMMAND_LINE } from './support/command-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

it.skipIf(!existsSync('/dev/full'))(
  'a server whose log cannot be written serves on, and ends in good order',
  async () => {
    const cwd = temporaryDirectory();
    const server = startProgram('/bin/sh', {
      args: ['-c', 'exec "$0" --conditions=source "$@" 2>/dev/full', process.execPath, COMMAND_LINE, 'serve'],
      cwd,
      // The policy is warned of on stderr, too.
      env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'trace', WEBHOOK_URL_POLICY: 'local' },
    });
    await server.printed(/^API key/m);
    const url = /http:\/\/\S+:\d+/.exec(server.stdout())?.[0] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  },
);

it('lines that cannot be written come, in order, when they can be; a line says how many were lost', () => {
  let room = 0;
  let written = '';
  const logger = serverLogger({ logLevel: 'info' }, (bytes) => {
    if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const some = bytes.subarray(0, room);
    room -= some.length;
    written += Buffer.from(some).toString();
    return some.length;
  });
  const text = 'x'.repeat(1_000);
  for (let number = 1; number <= 2_000; number += 1) logger.info({ number }, text);
  room = 500; // not even for one of them
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

it('a reader that is slow delays nothing but the last lines, which it gets', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let refusals = 1;
  let written = '';
  const logger = serverLogger({ logLevel: 'info' }, (bytes) => {
    refusals -= 1;
    if (refusals >= 0)
      throw Object.assign(new Error('EAGAIN: resource temporarily unavailable'), { code: 'EAGAIN' });
    written += Buffer.from(bytes).toString();
    return bytes.length;
  });
  logger.info('waits');
  expect(written).toBe('');
  vi.advanceTimersByTime(1_000);
  expect(written).toContain('"msg":"waits"');
  refusals = 3;
  logger.fatal('the last');
  expect(written).toContain('"msg":"the last"');
});
