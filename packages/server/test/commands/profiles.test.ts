import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('Profiles', () => {
  const add = (cwd: string, name: string): Promise<CommandResult> =>
    runCommand(['profiles', 'add', name], { cwd, input: 'a-key-for-the-tests' });

  it('have names that an object can keep', async () => {
    const cwd = temporaryDirectory();
    for (const name of ['__proto__', '.', '..', '']) expect((await add(cwd, name)).code, name).toBe(2);
    for (const name of ['constructor', 'toString', 'a.b-c_d'])
      expect((await add(cwd, name)).code, name).toBe(0);
    const { stdout } = await runCommand(['profiles', 'list', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      data: [{ name: 'constructor', is_default: true }, { name: 'toString' }, { name: 'a.b-c_d' }],
    });
  });

  it.skipIf(process.platform === 'win32')('are not read if others have access to them', async () => {
    const cwd = temporaryDirectory();
    expect((await add(cwd, 'shop')).code).toBe(0);
    const path = join(cwd, '.config/trunkline/profiles.json');
    for (const mode of [0o666, 0o644, 0o640, 0o602]) {
      chmodSync(path, mode);
      for (const args of [
        ['profiles', 'list'],
        ['profiles', 'use', 'shop'],
        ['instances', 'list'],
      ])
        expect(await runCommand(args, { cwd }), mode.toString(8)).toEqual({
          code: 1,
          stdout: '',
          stderr: `trunkline: Other users of this machine have access to ${path}, which has API keys in it: run "chmod 600 ${path}", and replace the keys if somebody may have read them.\n`,
        });
    }
    chmodSync(path, 0o600);
    expect((await runCommand(['profiles', 'list'], { cwd })).code).toBe(0);
  });
});
