import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { optionsOf, valueInfo } from '../../src/commands/command-flags.ts';
import { COMMANDS } from '../../src/commands/commands.ts';
import { createProgram } from '../../src/commands/program.ts';
import { runCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandHarness, CommandResult } from '../support/command-process.ts';
import { complaintsIn } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** More would not be faster on two cores. In `pnpm test`, one process runs all commands. */
const CONCURRENT = isLongForm ? 2 : 1;

/** Well-formed arguments, so that a command reaches its service or its database. */
const VALUES: Readonly<Record<string, string>> = {
  '<to>': '15550100',
  '[text]': 'hello',
  '<url>': 'https://hooks.example.com/',
  '<directory>': 'backup',
  '<path>': 'download',
  '<pace>': 'gentle',
};
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  send: ['--instance', 'ins_1'],
  'webhooks create': ['--events', 'message.sent'],
  'events list': ['--instance', 'ins_1'],
  'instances credentials': ['--remove'],
  move: ['--to', 'sqlite:other.db'],
};

function argumentsOf(name: string): readonly string[] {
  const spec = COMMANDS.find((one) => one.name === name);
  const values = Object.keys(spec?.arguments ?? {}).map((argument) => VALUES[argument] ?? 'any');
  return [...name.split(' '), ...values, ...(OPTIONS[name] ?? []), ...(spec?.asks === true ? ['--yes'] : [])];
}

async function runAll(
  names: readonly string[],
  run: (name: string) => Promise<CommandResult>,
): Promise<Readonly<Record<string, CommandResult>>> {
  const waiting = [...names];
  const results: Record<string, CommandResult> = {};
  const next = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      results[name] = await run(name);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, next));
  return results;
}

const all = COMMANDS.map(({ name }) => name);
const remote = COMMANDS.filter(({ on }) => on === 'service').map(({ name }) => name);
const withKey = remote.filter((name) => name !== 'openapi');
const local = COMMANDS.filter(({ on }) => on === 'database').map(({ name }) => name);

let harness: CommandHarness;
let help: Readonly<Record<string, CommandResult>>;
beforeAll(async () => {
  harness = await startCommandHarness();
  const cwd = temporaryDirectory();
  help = await runAll(all, (name) => runCommand([...name.split(' '), '--help'], { cwd }));
});
afterAll(() => harness.server.stop());

describe('Every command', () => {
  it('has a help that names its arguments and its options', () => {
    for (const spec of COMMANDS) {
      const { code, stdout = '', stderr } = help[spec.name] ?? {};
      expect({ code, stderr }, spec.name).toEqual({ code: 0, stderr: '' });
      const names = [...Object.keys(spec.options ?? {}), ...Object.keys(spec.arguments ?? {}), '--json'];
      for (const name of names)
        expect(stdout, spec.name).toContain(name.split(/[ >\]]/)[0]?.replace(/^[<[]/, ''));
      expect(stdout, spec.name).toContain(`Usage: trunkline ${spec.name}`);
    }
  });

  it('has a help with an example of itself, which the command line accepts', async () => {
    let parsed: string | undefined;
    const program = createProgram('0.0.0', async ({ name }) => void (parsed = name));
    for (const { name } of COMMANDS) {
      const [, section = ''] = (help[name]?.stdout ?? '').split(/^Examples?:\n/m);
      const examples = section.trimEnd().split('\n');
      for (const example of examples) {
        // The words before a redirection, a closing parenthesis or the end of the example.
        const [, words = ''] = /trunkline (.*?)(?:\)"$| [<>] |$)/.exec(example) ?? [];
        const args = (words.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
        parsed = undefined;
        await program.parseAsync(args, { from: 'user' });
        expect(parsed, example).toBe(name);
      }
    }
  });

  it('is in the help of the program, once, below the heading of its group', async () => {
    const { stdout } = await runCommand(['--help'], { cwd: temporaryDirectory() });
    const listed = new Map<string, string[]>();
    for (const section of stdout.split('\n\n')) {
      const [heading = '', ...lines] = section.split('\n');
      listed.set(
        heading,
        lines.flatMap((line) => /^ {2}(\S+(?: \S+)?) {2,}\S/.exec(line)?.[1] ?? []),
      );
    }
    const expected = Map.groupBy(COMMANDS, ({ group }) => `${group}:`);
    expect(expected.size).toBeGreaterThan(5);
    for (const [heading, specs] of expected)
      expect(listed.get(heading), heading).toEqual(specs.map(({ name }) => name));
  });

  it('refuses an option that there is not with exit code 2, and a line that says which', async () => {
    const cwd = temporaryDirectory();
    const results = await runAll(all, (name) => runCommand([...argumentsOf(name), '--jsn'], { cwd }));
    for (const [name, { code, stdout, stderr }] of Object.entries(results)) {
      expect({ code, stdout }, name).toEqual({ code: 2, stdout: '' });
      const complaint = "Unknown option '--jsn'. Did you mean --json?";
      if (name === 'serve') expect(complaintsIn(stderr)).toEqual([complaint]);
      else expect(stderr, name).toBe(`trunkline: ${complaint}\n`);
    }
  });

  it('ends with exit code 4 if it needs a service and there is none, with JSON for --json', async () => {
    const cwd = temporaryDirectory();
    const env = { TRUNKLINE_URL: 'http://127.0.0.1:9', TRUNKLINE_API_KEY: 'a-key-for-the-tests' };
    const results = await runAll(remote, (name) =>
      runCommand([...argumentsOf(name), '--json'], { cwd, env }),
    );
    for (const [name, { code, stdout, stderr }] of Object.entries(results)) {
      expect({ code, stdout }, name).toEqual({ code: 4, stdout: '' });
      expect(JSON.parse(stderr), name).toMatchObject({
        error: {
          code: 'NETWORK_ERROR',
          message: expect.stringContaining('There is no service at http://127.0.0.1:9'),
        },
      });
    }
  });

  it('ends with exit code 5 if the key of its service is wrong or missing', async () => {
    const { cwd, server } = harness;
    const TRUNKLINE_URL = server.url;
    const wrong = { TRUNKLINE_URL, TRUNKLINE_API_KEY: 'another-key-altogether' };
    const results = await runAll(withKey, (name) => runCommand(argumentsOf(name), { cwd, env: wrong }));
    for (const [name, { code, stdout, stderr }] of Object.entries(results)) {
      expect({ code, stdout }, name).toEqual({ code: 5, stdout: '' });
      expect(stderr, name).toMatch(/^trunkline: .*\(INVALID_API_KEY, req_\w+\)\n$/);
    }
    const missing = await runAll(withKey, (name) =>
      runCommand(argumentsOf(name), { cwd, env: { TRUNKLINE_URL } }),
    );
    for (const [name, result] of Object.entries(missing))
      expect(result, name).toEqual({
        code: 5,
        stdout: '',
        stderr: `trunkline: There is no API key for ${server.url}: set TRUNKLINE_API_KEY, or keep one with "trunkline profiles add". On the server's machine, "trunkline keys create" makes one.\n`,
      });
  });

  it('ends with exit code 1 if it needs a database and there is none, and creates nothing', async () => {
    const makesOne = ['init', 'serve', 'doctor', 'restore'];
    const cwd = temporaryDirectory();
    const names = local.filter((name) => !makesOne.includes(name));
    const results = await runAll(names, (name) => runCommand(argumentsOf(name), { cwd }));
    for (const [name, result] of Object.entries(results))
      expect(result, name).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'trunkline: There is no database at data/trunkline.db: start the server once, with "trunkline serve", or name the place with --data-dir or --database-url.\n',
      });
    const { readdirSync } = await import('node:fs');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('does nothing if it has to ask and cannot, and says what it would do', async () => {
    const { cwd, env, data } = harness;
    const instance = String((await data('instances', 'create'))['id']);
    const asking = COMMANDS.filter(({ asks, on }) => asks === true && on === 'service').map(
      ({ name }) => name,
    );
    const results = await runAll(asking, (name) =>
      runCommand([...name.split(' '), name.startsWith('instances') ? instance : 'any'], { cwd, env }),
    );
    for (const [name, { code, stdout, stderr }] of Object.entries(results)) {
      expect({ code, stdout }, name).toEqual({ code: 2, stdout: '' });
      expect(stderr, name).toMatch(/^trunkline: .* Nothing was done: add --yes if you want that\.\n$/);
    }
    expect(await data('instances', 'show', instance)).toMatchObject({ id: instance, status: 'created' });
  });
});

describe('The command line', () => {
  it.for<readonly [readonly string[], string]>([
    [['wrkspaces'], "trunkline: Unknown command 'wrkspaces'. Did you mean workspaces?\n"],
    [['workspaces', 'lst'], "trunkline: Unknown command 'lst'. Did you mean list?\n"],
    [['send'], "trunkline: Missing required argument 'to'.\n"],
    [
      ['migrate', 'now'],
      "trunkline: Too many arguments for 'migrate'. Expected 0 arguments but got 1: now.\n",
    ],
    [['messages', 'list', '--limit', '0'], 'trunkline: --limit must be a whole number from 1 to 10000.\n'],
    [['messages', 'list', '--limit', '1e3'], 'trunkline: --limit must be a whole number from 1 to 10000.\n'],
    [
      ['instances', 'list', '--url', 'messages.example.com'],
      'trunkline: The URL of the service must be like https://messages.example.com, without credentials and query.\n',
    ],
    [
      ['instances', 'list', '--url', 'https://me:hush@example.com'],
      'trunkline: The URL of the service must be like https://messages.example.com, without credentials and query.\n',
    ],
    [
      ['instances', 'list', '--profile', 'nobody'],
      'trunkline: There is no profile "nobody": "trunkline profiles list" lists them.\n',
    ],
    [['connect', ''], 'trunkline: <instance> must not be empty.\n'],
    [['messages', 'download', 'msg_1', ''], 'trunkline: <path> must not be empty.\n'],
    [['completion', 'csh'], 'trunkline: The shell must be one of bash, zsh, fish.\n'],
  ])('says what is wrong with "%s", and exits with 2', async ([args, stderr]) => {
    const env = { TRUNKLINE_URL: 'http://127.0.0.1:9', TRUNKLINE_API_KEY: 'a-key-for-the-tests' };
    expect(await runCommand(args, { cwd: temporaryDirectory(), env })).toEqual({
      code: 2,
      stdout: '',
      stderr,
    });
  });

  it('prints its help if no command is named: on stdout if requested, else on stderr with exit code 2', async () => {
    const cwd = temporaryDirectory();
    const asked = await runCommand(['--help'], { cwd });
    expect({ ...asked, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(asked.stdout).toMatch(/^Usage: trunkline/);
    for (const args of [[], ['workspaces']]) {
      const { code, stdout, stderr } = await runCommand(args, { cwd });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^Usage: trunkline/);
    }
    for (const args of [['-h'], ['help']])
      expect(await runCommand(args, { cwd })).toEqual({ code: 0, stdout: asked.stdout, stderr: '' });
    const send = await runCommand(['send', '--help'], { cwd });
    for (const args of [
      ['send', '-h'],
      ['help', 'send'],
    ])
      expect(await runCommand(args, { cwd })).toEqual(send);
    for (const flag of ['--version', '-v'])
      expect((await runCommand([flag], { cwd })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('exits with 2 if the service says that an argument is wrong, and with 4 if it is not one', async () => {
    const { run, server } = harness;
    expect(await run('messages', 'list', '--status', 'bogus')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'status: Must be one of queued, sent, delivered, read, failed, received. (VALIDATION_FAILED',
      ),
    });
    const elsewhere = await run('messages', 'list', '--url', `${server.url}/elsewhere`);
    expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining('NOT_FOUND') });
  });

  it('completes in bash by a script that it can read', async () => {
    const cwd = temporaryDirectory();
    const { stdout } = await runCommand(['completion', 'bash'], { cwd });
    /** Returns the completions of the last word. bash treats the part after `:` or `=` as a separate word. */
    const complete = (line: string): string => {
      const words = line.split(/ |(?<=[:=])|(?=[:=])/).map((word) => `'${word}'`);
      const state = `COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}`;
      const script = `${stdout}\n${state}; _trunkline; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trimEnd();
    };
    expect(complete('trunkline ')).toContain('workspaces');
    expect(complete('trunkline workspaces ')).toBe('list create suspend resume plan retention');
    expect(complete('trunkline workspaces suspend ')).toContain('--yes');
    expect(complete('trunkline send 15550100 ')).toContain('--idempotency-key');
    expect(complete('trunkline completion ')).toContain('bash zsh fish');

    expect(complete('trunkline messages list --status ')).toBe('queued sent delivered read failed received');
    expect(complete('trunkline messages list --status  queued,d')).toBe('queued,delivered');
    expect(complete('trunkline messages list --type=')).toBe('text image document audio video');
    expect(complete('trunkline messages list --type=vi')).toBe('video');
    expect(complete('trunkline send 15550100 --type d')).toBe('document');
    expect(complete('trunkline deliveries list wh_1 --status ex')).toBe('exhausted');
    expect(complete('trunkline serve --roles api,g')).toBe('api,gateway');
    expect(complete('trunkline serve --log-level ')).toBe('trace debug info warn error fatal silent');
    expect(complete('trunkline keys create --scopes webhooks:')).toBe('read write');
    expect(complete('trunkline keys create --scopes messages:read,webhooks:w')).toBe('write');
    expect(complete('trunkline listen --types message.re')).toContain('message.received message.read ');
    expect(complete('trunkline send 15550100 --file ')).toBe('');
  });

  it('completes every option of which the help names a closed list of values', () => {
    const inHelp = COMMANDS.flatMap((spec) =>
      Object.entries(optionsOf(spec)).map(([flag, meaning]) => ({ flag, ...valueInfo(meaning) })),
    ).filter(({ meaning }) => /^(?:[\w-]+, )*[\w-]+ or [\w-]+(?:;|$)/.test(meaning));
    expect(inHelp.length).toBeGreaterThan(5);
    for (const { flag, values } of inHelp) expect(values, flag).not.toEqual([]);
  });
});
