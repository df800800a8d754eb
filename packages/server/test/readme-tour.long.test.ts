import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { blocksOf } from './support/blocks-of.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const TOUR = 'docs/tour.md';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Imitates a terminal, whose background jobs end together with everything that they started. */
const LIKE_A_TERMINAL = `
set -m
trap 'for job in $(jobs -p); do kill -- -$job 2>/dev/null; done' EXIT
trap exit TERM
`;

let stopTour = async (): Promise<void> => {};
afterAll(() => stopTour());

it('the tour works as it is printed, with the request of the front page, and works again', async () => {
  const directory = temporaryDirectory();
  await takeTour(directory);
  await takeTour(directory);
});

it('the functions of the tour give up, and print the error of a response', async () => {
  const functions = blocksOf(TOUR, 'bash')
    .join('\n')
    .match(/^\w+\(\) (?:\{ .*; \}|\{[^]*?^\})$/gm);
  expect(functions).toHaveLength(4);
  const script = [...(functions ?? []), 'within 0 false', `field .id <<< '{"error":{"code":"NOT_FOUND"}}'`];
  const { output, ended } = runBash(script.join('\n'), {});
  expect(await ended).toEqual([1, null]);
  expect(output()).toContain('still fails after 0 s: false');
  expect(output()).toContain("{ code: 'NOT_FOUND' }");
});

async function takeTour(directory: string): Promise<void> {
  const [server, receiver] = [String(await freePort()), String(await freePort())];
  const printed = blocksOf(TOUR, 'bash');
  const [, request = ''] = blocksOf('README.md', 'sh');
  // The last block stops both programs.
  const blocks = printed
    .toSpliced(-1, 0, 'INSTANCE=$instance', request)
    .map((block) =>
      block.replaceAll('8080', server).replaceAll('9000', receiver).replaceAll('/tmp/', `${directory}/`),
    );
  const tour = runBash([LIKE_A_TERMINAL, ...blocks].join('\n'), {
    // The tour leaves these settings at their defaults, which another server on this machine may use.
    PORT: server,
    DATA_DIR: join(directory, 'data'),
  });
  stopTour = tour.stop;
  await tour.ended;

  // Programs that share a terminal may write into each other's lines.
  const output = tour.output();
  const received = Array.from(output.matchAll(/([a-z]+\.[a-z_]+) {2}(evt_\w+) {2}\w+ ([a-z_]+)/g)).map(
    ([, type = '', id = '', status = '']) => ({ type, id, status }),
  );
  // Webhooks may overtake each other; event ids are in the order of the events.
  const inOrder = received
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ type, status }) => `${type}: ${status}`);
  // Events of the message with a file may arrive after the tour ends.
  expect(inOrder.slice(0, 5)).toEqual([
    'instance.qr_required: qr_required',
    'instance.connected: connected',
    'message.sent: sent',
    'message.delivered: delivered',
    'message.read: read',
  ]);

  for (const line of [
    /"name":"Default workspace"/,
    /^trunkline-qr\.svg$/m,
    /"read_at":"2/,
    /"text":"Hello from Trunkline"/,
    /"attempt_log":\[\{"attempt":1/,
  ]) {
    expect(output).toMatch(line);
  }
  expect(output).toMatch(/^connecting$.*^connected$/ms);
  // Printed at least twice: by the tour's own request and by the README's.
  expect(output.match(/"text":"Hello from Trunkline"/g)?.length).toBeGreaterThan(1);
  expect(readFileSync(join(directory, 'trunkline-qr.svg'), 'utf8')).toMatch(/^<svg/);
  await until('both programs have ended', async () => (await isFree(server)) && (await isFree(receiver)));
}

interface Tour {
  output(): string;
  readonly ended: Promise<unknown>;
  /** Ends the shell and everything that it started. */
  stop(): Promise<void>;
}

function runBash(script: string, env: Readonly<Record<string, string>>): Tour {
  const { WEBHOOK_SECRET: _, API_KEY: __, npm_config_yes: ___, ...own } = process.env;
  const bash = spawn('bash', ['-c', script], { cwd: ROOT, env: { ...own, ...env } });
  let output = '';
  bash.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  bash.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(bash, 'exit');
  return {
    output: () => output,
    ended,
    async stop() {
      bash.kill('SIGTERM');
      await ended;
    },
  };
}

function isFree(port: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}`).then(
    () => false,
    () => true,
  );
}
