import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const PACKAGE = dirname(import.meta.dirname);
const run = promisify(execFile);

// With N8N_LINTER=1, installs n8n's own program from npm, with hundreds of packages.
it.runIf(process.env['N8N_LINTER'] === '1')(
  "n8n's linter finds nothing, by the rules for verified nodes",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-n8n-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const install = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '@n8n/node-cli@0.48.3',
      'n8n-workflow@2',
    ];
    await run('npm', install, { cwd: folder });

    const copy = join(folder, 'package');
    for (const path of ['package.json', 'eslint.config.mjs', 'nodes', 'credentials', 'icons'])
      await cp(join(PACKAGE, path), join(copy, path), { recursive: true });
    await cp(join(PACKAGE, '../../tsconfig.base.json'), join(copy, 'tsconfig.json'));
    // The linter ignores the export condition `source`.
    const receiver = join(copy, 'node_modules/@trunkline/receiver');
    await mkdir(receiver, { recursive: true });
    await writeFile(join(receiver, 'package.json'), '{ "exports": "./src/index.ts" }');
    await symlink(join(PACKAGE, '../receiver/src'), join(receiver, 'src'));

    const linter = run(join(folder, 'node_modules/.bin/n8n-node'), ['lint'], { cwd: copy });
    expect(
      await linter.then(
        () => '',
        (error: { stdout?: string }) => error.stdout,
      ),
    ).toBe('');
  },
);
