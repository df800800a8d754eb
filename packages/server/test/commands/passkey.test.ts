import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { startCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandHarness } from '../support/command-process.ts';
import { startInTerminal, terminalMissing } from '../support/terminal-process.ts';
import { testClient } from '../support/test-client.ts';

type Program = ReturnType<typeof startCommand>;

/** `trunkline connect`, up to the request for the passkey of the account. */
async function asked(
  { server, env }: CommandHarness,
  command: Program,
  passkey: true | 'then_code',
): Promise<{ readonly id: string; answer(): Promise<string> }> {
  await command.printed(/qr_required/);
  const [id = ''] = /ins_\w+/.exec(command.stdout()) ?? [];
  const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
  const scanned = await client.request('POST', `/sandbox/instances/${id}/scan`, { body: { passkey } });
  expect(scanned.status).toBe(202);
  await command.printed(/navigator\.credentials\.get/);
  return {
    id,
    async answer() {
      const { body } = await client.request('POST', `/sandbox/instances/${id}/passkey`);
      return JSON.stringify((body as { readonly data: object }).data); // the sandbox's answer
    },
  };
}

describe('trunkline connect, for an account with a passkey', () => {
  it.runIf(isLongForm)(
    'shows the steps, takes the pasted answer, and has a person compare the code',
    async () => {
      const harness = await startCommandHarness();
      const { cwd, env, server } = harness;
      const command = startCommand(['connect'], { cwd, env });
      const { id, answer } = await asked(harness, command, 'then_code');
      expect(command.stdout()).toMatch(
        /1\. Open http:\/\/localhost\/\..*\n.*\n.*4\. Copy the answer, paste it here/s,
      );
      command.input('{"id":\n');
      await command.printed(/this is not the whole answer/);
      command.input('{}\n');
      await command.printed(/The request is not valid\./);
      command.input(`${await answer()}\n`);
      await command.printed(/Does the phone show \w{4}-\w{4}\?/);
      command.input('perhaps\n');
      await command.printed(/type yes or no/);
      command.input('yes\n');
      expect(await command.ended).toBe(0);
      expect(command.stdout()).toMatch(new RegExp(`${id} is connected as 1555\\d+\n$`));
      await server.stop();
    },
  );

  it.runIf(isLongForm)('ends the linking if the codes differ', async () => {
    const harness = await startCommandHarness();
    const { cwd, env, data, server } = harness;
    const command = startCommand(['connect'], { cwd, env });
    const { id, answer } = await asked(harness, command, 'then_code');
    command.input(`${await answer()}\n`);
    await command.printed(/Does the phone show/);
    command.input('no\n');
    expect(await command.ended).toBe(1);
    expect(command.stderr()).toContain('is not linked, because the codes differ');
    expect(await data('instances', 'show', id)).toMatchObject({ status: 'disconnected' });
    await server.stop();
  });

  it.runIf(isLongForm)('has the step in a line of --json', async () => {
    const harness = await startCommandHarness();
    const { cwd, env, server } = harness;
    const command = startCommand(['connect', '--json'], { cwd, env });
    const { answer } = await asked(harness, command, true);
    await command.printed(/"step":"assertion"/);
    command.input(`${await answer()}\n`);
    expect(await command.ended).toBe(0);
    for (const line of command.stdout().trimEnd().split('\n')) JSON.parse(line);
    await server.stop();
  });

  it.runIf(isLongForm && terminalMissing() === null)(
    'takes a line that is longer than a terminal passes on',
    async () => {
      const harness = await startCommandHarness();
      const { cwd, env, server } = harness;
      const command = startInTerminal(['connect'], { cwd, env });
      const { answer } = await asked(harness, command, true);
      command.input(`${(await answer()).replace('{', `{${' '.repeat(5_000)}`)}\r`);
      expect(await command.ended).toBe(0);
      await server.stop();
    },
  );
});
