import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand, startCommandHarness } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startInTerminal, terminalMissing } from '../support/terminal-process.ts';

const DOWN = '\u001b[B';
const ENTER = '\r';
const CTRL_C = '\u0003';

const missing = terminalMissing();
if (missing !== null) console.warn(`The tests in a terminal are skipped: ${missing}.`);

describe.skipIf(missing !== null)('In a terminal', () => {
  async function answer(
    program: ReturnType<typeof startInTerminal>,
    question: string,
    keys: string,
  ): Promise<void> {
    await until(`it asks ${question}`, () => program.stdout().includes(question));
    program.input(keys);
  }

  it.runIf(isLongForm)(
    'init asks for the network, the port and the database, and writes the answers',
    async () => {
      const cwd = temporaryDirectory();
      const init = startInTerminal(['init'], { cwd });
      await answer(init, 'Which network?', DOWN + ENTER);
      await answer(init, 'Which port?', `\u007f\u007f99${ENTER}`);
      await answer(init, 'Which database?', `postgres://db.example.com/shop${ENTER}`);
      expect(await init.ended).toBe(0);
      const config = readFileSync(join(cwd, 'trunkline.toml'), 'utf8');
      expect(config).toMatch(/^gateways = "whatsapp"$/m);
      expect(config).toMatch(/^port = 8099$/m);
      expect(config).toMatch(/^database_url = "postgres:\/\/db.example.com\/shop"$/m);
    },
  );

  it.runIf(isLongForm)(
    'init asks again for what is not a port, and writes nothing if it is cancelled',
    async () => {
      const cwd = temporaryDirectory();
      const init = startInTerminal(['init', '--gateways', 'sandbox'], { cwd });
      await answer(init, 'Which port?', `x${ENTER}`);
      await answer(init, 'A number from 0 to 65535.', CTRL_C);
      expect(await init.ended).toBe(1);
      expect(init.stdout()).toContain('trunkline: Nothing was written.');
      expect(existsSync(join(cwd, 'trunkline.toml'))).toBe(false);
    },
  );

  it('a confirmation counts as refused unless the answer is yes', async () => {
    const cwd = temporaryDirectory();
    const names = async (): Promise<string> =>
      (await runCommand(['profiles', 'list', '--json'], { cwd })).stdout;
    await runCommand(['profiles', 'add', 'shop'], { cwd, input: 'a-key-for-the-tests' });
    const question = 'The profile shop and its API key will be deleted from this machine.';

    const refused = startInTerminal(['profiles', 'remove', 'shop'], { cwd });
    await answer(refused, question, ENTER);
    expect(await refused.ended).toBe(1);
    expect(refused.stdout()).toContain('trunkline: Nothing was done.');
    expect(await names()).toContain('"shop"');

    const agreed = startInTerminal(['profiles', 'remove', 'shop'], { cwd });
    await answer(agreed, question, `y${ENTER}`);
    expect(await agreed.ended).toBe(0);
    expect(await names()).not.toContain('"shop"');
  });

  it('a table fits into its width, and statuses have colours unless NO_COLOR is set', async () => {
    const harness = await startCommandHarness();
    const { cwd, env, run } = harness;
    const name = '受付 (front desk) '.repeat(5).trim();
    await run('connect', '--scan', '--name', name);
    const whole = await run('instances', 'list');
    const [, id = ''] = /^(ins_\w+) /m.exec(whole.stdout) ?? [];
    expect(whole.stdout).toContain(`${id}  ${name}  sandbox  connected  `);

    const shown = startInTerminal(['instances', 'list'], { cwd, env, columns: 119 });
    expect(await shown.ended).toBe(0);
    const [names = '', row = ''] = stripVTControlCharacters(shown.stdout()).split('\r\n');
    expect(row).toContain(`${id}  受付 (front desk)`);
    expect(row).toMatch(/…  sandbox  connected  \d+  \S+$/);
    expect(stringWidth(row)).toBe(119);
    expect(stringWidth(row.slice(0, row.indexOf('connected')))).toBe(names.indexOf('status'));
    expect(shown.stdout()).toContain('\u001b[32mconnected\u001b[39m');

    const plain = startInTerminal(['instances', 'list'], {
      cwd,
      env: { ...env, NO_COLOR: '1' },
      columns: 119,
    });
    await plain.ended;
    expect(plain.stdout()).toBe(stripVTControlCharacters(shown.stdout()));
    const forced = { cwd, env: { ...env, FORCE_COLOR: '1' } };
    expect((await runCommand(['instances', 'list'], forced)).stdout).toBe(
      whole.stdout.replace('  connected', '  \u001b[32mconnected\u001b[39m'),
    );
    expect((await runCommand(['instances', 'list', '--json'], forced)).stdout).not.toContain('\u001b');
    await harness.server.stop();
  });

  it('the log of a server is for people, and a start that fails is told as by every command', async () => {
    const cwd = temporaryDirectory();
    const wrong = startInTerminal(['serve', '--port', 'x'], { cwd });
    expect(await wrong.ended).toBe(1);
    expect(wrong.stdout()).toBe('trunkline: --port must be a whole number from 0 to 65535. It is "x".\r\n');

    const server = startInTerminal(['serve', '--port', '0'], { cwd });
    await server.printed(/the server is ready/);
    server.input(CTRL_C);
    expect(await server.ended).toBe(0);
    const lines = stripVTControlCharacters(server.stdout()).split('\r\n');
    expect(lines).toContainEqual(
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}the server is ready version=/),
    );
    expect(lines.at(-2)).toMatch(/INFO {2}the server has stopped$/);
    expect(server.stdout()).toContain('\u001b[32mINFO \u001b[39m');
  });

  it('the log of a server is JSON if LOG_FORMAT says so, that of a start that fails too', async () => {
    const options = { cwd: temporaryDirectory(), env: { LOG_FORMAT: 'json' } };
    const entries = (printed: string): readonly unknown[] =>
      printed
        .split('\r\n')
        .filter((line) => line.startsWith('{'))
        .map((line): unknown => JSON.parse(line));
    const wrong = startInTerminal(['serve', '--port', 'x'], options);
    expect(await wrong.ended).toBe(1);
    expect(entries(wrong.stdout())).toEqual([
      expect.objectContaining({ level: 60, msg: expect.stringContaining('--port must be a whole number') }),
    ]);

    const server = startInTerminal(['serve', '--port', '0'], options);
    await server.printed(/the server is ready/);
    server.input(CTRL_C);
    expect(await server.ended).toBe(0);
    const texts = entries(server.stdout());
    expect(texts).toContainEqual(expect.objectContaining({ level: 30, msg: 'the server is ready' }));
    expect(texts.at(-1)).toMatchObject({ msg: 'the server has stopped' });
  });

  it('the log of a server is text if LOG_FORMAT says so, without a terminal too', async () => {
    const env = { LOG_FORMAT: 'text', PORT: 'x' };
    expect(await runCommand(['serve'], { cwd: temporaryDirectory(), env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'trunkline: PORT must be a whole number from 0 to 65535. It is "x".\n',
    });
  });

  it('the line of progress is written over, and is gone at the end', async () => {
    const harness = await startCommandHarness();
    const backup = startInTerminal(['backup', join(harness.cwd, 'backup')], harness);
    expect(await backup.ended).toBe(0);
    const clear = '\r\u001b[K';
    const lines = backup.stdout().split(clear);
    expect(lines).toContain('database: checking the copy');
    // The result follows the last progress line.
    expect(lines.at(-1)).not.toMatch(/^(database|\d+ files)/);
    expect(lines.at(-1)).toMatch(/\n$/);
    await harness.server.stop();
  });
});
