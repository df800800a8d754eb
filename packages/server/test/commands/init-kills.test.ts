import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sized } from '@trunkline/test-support/long-form';
import { runCommand, startCommand } from '../support/command-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KILLS = sized('INIT_KILLS', { short: 1, long: 8 });

describe('trunkline init, killed at any moment,', () => {
  it('leaves no configuration file or a whole one', async () => {
    const whole = temporaryDirectory();
    expect((await runCommand(['init'], { cwd: whole })).code).toBe(0);
    const text = readFileSync(join(whole, 'trunkline.toml'), 'utf8');
    for (let kill = 0; kill < KILLS; kill++) {
      const cwd = temporaryDirectory();
      const program = startCommand(['init'], { cwd });
      // The worst moment for a kill is when the first file, whatever its name, exists.
      while (
        readdirSync(cwd).length === 0 &&
        (await Promise.race([program.ended, Promise.resolve(null)])) === null
      )
        await new Promise((resolve) => void setImmediate(resolve));
      await program.kill();
      const found = readdirSync(cwd).includes('trunkline.toml');
      if (found) expect(readFileSync(join(cwd, 'trunkline.toml'), 'utf8')).toBe(text);
      else expect((await runCommand(['init'], { cwd })).code).toBe(0);
    }
  });

  it('does not change a link at its path', async () => {
    const cwd = temporaryDirectory();
    symlinkSync(join(cwd, 'elsewhere.toml'), join(cwd, 'trunkline.toml'));
    expect(await runCommand(['init'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('trunkline.toml already exists'),
    });
    expect(readdirSync(cwd)).toEqual(['trunkline.toml']);
  });
});
