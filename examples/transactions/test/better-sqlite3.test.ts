import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, describe, it, onTestFinished } from 'vitest';
import { HANG_MS } from '@trunkline/test-support';
import { startProgram } from '@trunkline/test-support/start-program';

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url));

/** Tests the page's statements about better-sqlite3, a line for each. */
const MAIN = `
import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import BetterSqlite3 from 'better-sqlite3';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';

const { gateway } = createSandbox({ scansQrs: true });
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways: [gateway], secretKey: 'x'.repeat(32) });
await trunkline.start();
const api = trunkline.workspace((await trunkline.admin.workspaces.create({ name: 'Acme' })).id);
const { id: instance } = await api.instances.create();
await api.instances.connect(instance);
while ((await api.instances.get(instance)).status !== 'connected') await new Promise((resolve) => setTimeout(resolve, 20));
const elsewhere = new BetterSqlite3('of-the-app.db');
elsewhere.exec('BEGIN IMMEDIATE');
const message = { instance, to: '+1 555 0100', type: 'text', text: 'Hello' };
console.log('send', await api.messages.send(message, { transaction: elsewhere }).catch(String));
await trunkline.stop();

// On one file, in one process.
const node = new DatabaseSync('both.db', { timeout: 0 });
node.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (library TEXT)');
const better = new BetterSqlite3('both.db', { timeout: 0 });
node.exec("BEGIN IMMEDIATE; INSERT INTO orders VALUES ('node:sqlite')");
better.exec("BEGIN IMMEDIATE; INSERT INTO orders VALUES ('better-sqlite3')");
better.exec('COMMIT');
node.exec('COMMIT');
better.close();
console.log('committed by both, stored by', node.prepare('SELECT library FROM orders').all().map(({ library }) => library).join());

// In two processes.
const alone = new DatabaseSync('apart.db', { timeout: 0 });
alone.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (library TEXT)');
const inOtherProcess = (begin) => spawnSync(process.execPath, ['--input-type=module', '--eval', begin + "console.log('begun')"]).stdout.toString().trim() || 'locked';
const begin = "import { DatabaseSync } from 'node:sqlite'; new DatabaseSync('apart.db', { timeout: 0 }).exec('BEGIN IMMEDIATE');";
const betterBegin = "import BetterSqlite3 from 'better-sqlite3'; new BetterSqlite3('apart.db', { timeout: 0 }).exec('BEGIN IMMEDIATE');";
alone.exec('BEGIN IMMEDIATE');
console.log('other process', inOtherProcess(begin), inOtherProcess(betterBegin));
const reader = new BetterSqlite3('apart.db', { readonly: true });
reader.prepare('SELECT * FROM orders').all();
reader.close();
console.log('other process, after a reader has closed here', inOtherProcess(begin));
`;

// With BETTER_SQLITE3=1, runs with better-sqlite3 itself, whose package includes its binaries.
describe.runIf(process.env['BETTER_SQLITE3'] === '1')('better-sqlite3', () => {
  it(
    'cannot share a file with node:sqlite in one process, and send refuses its connection',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'trunkline-better-sqlite3-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const run = async (command: string, ...args: readonly string[]): Promise<string> => {
        const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
        const program = startProgram(command, { args, cwd: folder, env: { ...process.env, PATH } });
        expect([await program.ended, program.stderr()]).toEqual([0, expect.anything()]);
        return program.stdout();
      };
      await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
      await run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'better-sqlite3@13');
      await mkdir(join(folder, 'node_modules/@trunkline'));
      for (const name of ['core', 'storage-sqlite'])
        await symlink(join(EXAMPLE, '../../packages', name), join(folder, 'node_modules/@trunkline', name));
      await writeFile(join(folder, 'main.js'), MAIN);
      const output = await run(process.execPath, '--conditions=source', 'main.js');
      expect(output.trim().split('\n')).toEqual([
        'send TypeError: sqliteStorage: the transaction cannot be used: it must be a DatabaseSync of node:sqlite.',
        'committed by both, stored by node:sqlite',
        'other process locked locked',
        'other process, after a reader has closed here begun',
      ]);
    },
    5 * HANG_MS,
  );
});
