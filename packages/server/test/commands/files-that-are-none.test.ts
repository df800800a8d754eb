import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand } from '../support/command-process.ts';
import { complaintsIn } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SQLITE_HEADER = 'SQLite format 3\0';
const KEY = 'a-secret-key-of-more-than-32-characters\n';
const GIBIBYTE = 1024 ** 3;

const NO_FILES: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a socket': listenAt,
  'a device': (path) => symlinkSync('/dev/zero', path),
  'a directory': (path) => {
    mkdirSync(path);
  },
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  'a link that leads nowhere': (path) => symlinkSync(`${path}.gone`, path),
};

function listenAt(path: string): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) => void server.listen(path, resolve));
}

function sparse(path: string, start = ''): void {
  writeFileSync(path, start, { mode: 0o600 });
  truncateSync(path, GIBIBYTE);
}

/** Creates a data directory with a database and a key that look valid, without the file `without`. */
function dataDirectory({ without }: { readonly without: string }): string {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'data'), { mode: 0o700 });
  for (const [name, content] of [
    ['secret.key', KEY],
    ['trunkline.db', SQLITE_HEADER],
  ] as const)
    if (name !== without) writeFileSync(join(cwd, 'data', name), content, { mode: 0o600 });
  return cwd;
}

const COMMANDS: readonly (readonly string[])[] = [
  ...(isLongForm ? [['serve', '--port', '0']] : []), // a server needs its own process
  ['workspaces', 'list'],
  ['backup', 'copy'],
  ['rotate-secret-key', '--yes'],
];

describe.skipIf(process.platform === 'win32')('A command that finds something other than a file', () => {
  describe.for(Object.entries(NO_FILES).slice(0, isLongForm ? undefined : 1))('%s', ([, make]) => {
    it.for(['secret.key', 'trunkline.db'])('ends with a line that names it: %s', async (name) => {
      for (const args of COMMANDS) {
        const cwd = dataDirectory({ without: name });
        await make(join(cwd, 'data', name));
        const { code, stdout, stderr } = await runCommand(args, { cwd });
        expect({ code, stdout }, args.join(' ')).toEqual({ code: 1, stdout: '' });
        expect(stderr.split('\n'), args.join(' ')).toHaveLength(2);
        expect(stderr).toMatch(
          /(?:^trunkline: |: )The (?:secret key|database) (?:is not a file|is a directory|is a symbolic link that leads nowhere): /,
        );
        expect(stderr).toContain(join('data', name));
      }
    });

    it('ends with a line for the configuration file or the profiles, too', async () => {
      const cwd = temporaryDirectory();
      await make(join(cwd, 'named.toml'));
      for (const args of isLongForm ? [['serve'], ['workspaces', 'list']] : [['workspaces', 'list']]) {
        const { code, stderr } = await runCommand([...args, '--config', 'named.toml'], { cwd });
        expect(code).toBe(1);
        expect(stderr).toMatch(/^[^\n]*named\.toml[^\n]*\n$/);
      }
      mkdirSync(join(cwd, '.config/trunkline'), { recursive: true });
      await make(join(cwd, '.config/trunkline/profiles.json'));
      expect((await runCommand(['instances', 'list', '--profile', 'shop'], { cwd })).code).toBeOneOf([1, 2]);
    });
  });

  it.runIf(isLongForm)('reads no more of a file of a gibibyte than necessary', async () => {
    const cwd = dataDirectory({ without: 'secret.key' });
    sparse(join(cwd, 'data', 'secret.key'), KEY);
    sparse(join(cwd, 'large.toml'), 'port = 1\n');
    mkdirSync(join(cwd, '.config/trunkline'), { recursive: true });
    sparse(join(cwd, '.config/trunkline/profiles.json'));
    expect((await runCommand(['workspaces', 'list'], { cwd })).stderr).toMatch(/The secret key is damaged: /);
    expect((await runCommand(['serve', '--config', 'large.toml'], { cwd })).stderr).toMatch(
      /is larger than 65536 bytes/,
    );
    expect((await runCommand(['profiles', 'list'], { cwd })).stderr).toMatch(/profiles\.json is damaged/);
  });

  it.skipIf(process.getuid?.() !== 0)('takes no default configuration file of another user', async () => {
    const cwd = temporaryDirectory();
    const path = join(cwd, 'trunkline.toml');
    writeFileSync(path, 'port = "http"\n', { mode: 0o644 });
    chownSync(path, 65_534, 65_534);
    const complaints = async (...args: readonly string[]): Promise<readonly string[]> =>
      complaintsIn((await runCommand(['serve', ...args], { cwd })).stderr);
    expect(await complaints()).toEqual([
      'trunkline.toml belongs to another user of this machine, so it is not read: name it with --config if you trust it.',
    ]);
    expect(await complaints('--config', 'trunkline.toml')).toEqual([
      'port in trunkline.toml must be a whole number from 0 to 65535. It is "http".',
    ]);
  });
});
