import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { runCommand, startCommand } from '../support/command-process.ts';
import { expectRecorded } from '../support/recorded-page.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const RECEIVER = new URL('../../../../examples/receiver/src/main.ts', import.meta.url);
const PAGE = new URL('../../../../docs/command-line.md', import.meta.url);

// With RECORD=1, the test writes its recording into the page.
it("The terminal recording of the documentation matches the commands' output", async () => {
  const cwd = temporaryDirectory();
  const lines: string[] = [];
  const record = (command: string, output: string): void => {
    lines.push(`$ ${command}`, ...steady(output).trimEnd().split('\n'), '');
  };
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const { code, stdout, stderr } = await runCommand(args, { cwd, env });
    expect(code, stderr).toBe(0);
    record(
      `trunkline ${args.map((arg) => (/[ ,]/.test(arg) ? `"${arg}"` : arg)).join(' ')}`,
      stdout + stderr,
    );
  };
  await run(['init']);
  expect(existsSync(join(cwd, 'trunkline.toml'))).toBe(true);
  // Any free port, because another server of this machine may use the default port.
  const server = startCommand(['serve'], {
    cwd,
    env: { PORT: '0', LOG_LEVEL: 'warn' },
    isAtTerminal: true,
  });
  const [, url = ''] = await server.printed(/^Trunkline is at (http:\/\/[\d.:]+)\/api\/v1$/m);
  const [, key = ''] = await server.printed(/^API key, shown only this once: (\S+)$/m);
  record('trunkline serve &', server.stdout());
  lines.splice(-1, 0, '$ export TRUNKLINE_API_KEY=trk_…');
  const env = { TRUNKLINE_URL: url, TRUNKLINE_API_KEY: key };
  await run(['connect', '--scan'], env);
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const receiver = startNodeProgram(RECEIVER, {
    cwd,
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: '0' },
  });
  const [, port = ''] = await receiver.printed(/^Receiving at http:\/\/127\.0\.0\.1:(\d+)$/m);
  lines.push('$ export WEBHOOK_SECRET=whsec_…', '$ node receiver.js > receiver.log &', '');
  const forwarding = ['listen', '--types', 'message.sent', '--forward-to', `http://127.0.0.1:${port}/hook`];
  const listen = startCommand(forwarding, { cwd, env: { ...env, WEBHOOK_SECRET: secret } });
  await listen.printed(/Waiting for events/);
  const atReceiver = (text: string): string => text.replaceAll(`127.0.0.1:${port}`, 'localhost:9000');
  record(atReceiver(`trunkline ${forwarding.join(' ')} &`), atReceiver(listen.stderr()));
  await run(['send', '+1 555 0123', 'Hello from Trunkline', '--until', 'delivered'], env);
  await listen.printed(/→ \d+/);
  listen.signal('SIGINT');
  expect(await listen.ended).toBe(130);
  record('fg', `${listen.stdout()}^C\n${listen.stderr().split('\n').at(-2)}`);
  await receiver.printed(/message\.sent/);
  record('cat receiver.log', atReceiver(receiver.stdout()));
  await receiver.stop();
  await run(['messages', 'list'], env);
  await run(['backup', 'monday'], env);
  expect(await server.stop()).toBe(0);

  expectRecorded(PAGE, 'packages/server/test/commands/recording.long.test.ts', lines.join('\n'));
});

function steady(text: string): string {
  return (
    text
      .replaceAll(/\/tmp\/\S*?(?=\/monday)/g, '/srv/shop')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
      .replaceAll(/trk_\w+/g, 'trk_…')
      .replaceAll(/link_[\w-]+/g, 'link_…')
      .replaceAll(/ in \d+ ms/g, ' in 4 ms')
      .replaceAll(/\b(ins|msg|evt)_\w{26}/g, '$1_01m7…')
      .replaceAll(/\b1555\d{7}\b/g, '15550142')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, '2026-11-23T09:00:00')
      // Polling may miss a status of the instance or of the message.
      .replaceAll(/^ins_01m7… is connecting\n/gm, '')
      .replaceAll(/^(msg_01m7…) (?:sent|delivered|read)\n(?=\1)/gm, '')
      .replaceAll(/^(msg_01m7…) (?:delivered|read)$/gm, '$1 delivered')
      .replaceAll(/ {2}(?:delivered|read) +(?=15550123)/g, '  read    ')
      .replaceAll(/^(id|msg_01m7…) {2,}/gm, (_, id: string) => id.padEnd(12))
      .replaceAll(/(\b2026-11-23T09:00:00|\bat)( {2,})(?=outbound|direction)/g, (_, at: string) =>
        at.padEnd(21),
      )
  );
}
