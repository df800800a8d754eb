import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '@trunkline/test-support/start-program';
import { isLongForm } from '@trunkline/test-support/long-form';
import { COMMAND_LINE, runCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';

/** Limits the size of files to `kib` KiB, as if the disk were full. */
async function withRoomFor(kib: number, cwd: string, args: readonly string[]): Promise<CommandResult> {
  const limited = `trap '' XFSZ; ulimit -f ${kib * 2}; exec "$0" "$@"`; // the unit is 512 bytes
  const program = startProgram('/bin/sh', {
    args: ['-c', limited, process.execPath, '--conditions=source', COMMAND_LINE, ...args],
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
  });
  program.endInput();
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

let used: Promise<string> | undefined;

async function usedFolder(): Promise<string> {
  const copy = temporaryDirectory();
  cpSync(await (used ??= useFolder()), copy, { recursive: true });
  return copy;
}

async function useFolder(): Promise<string> {
  const cwd = temporaryDirectory();
  const server = await startServer({ env: { DATA_DIR: join(cwd, 'data') }, cwd });
  await server.stop();
  return cwd;
}

describe('A command on this machine', () => {
  it.runIf(isLongForm)('names the file without room in one line, and works once there is room', async () => {
    const cwd = await usedFolder();
    expect((await withRoomFor(8, cwd, ['backup', 'b'])).stderr).toMatch(/^trunkline: .*make room\.\n$/);
    expect(await runCommand(['backup', 'b'], { cwd })).toMatchObject({ code: 0 });
    const restore = ['restore', 'b', '--data-dir', 'new'];
    expect(await withRoomFor(8, cwd, restore)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'trunkline: There is no room for new/trunkline.db (EFBIG): make room, and run the same command again.\n',
    });
    expect(readdirSync(join(cwd, 'new'))).not.toContain('trunkline.db');
    expect(await runCommand(restore, { cwd })).toMatchObject({ code: 0 });
  });

  it('says what to do about a full disk, and leaves no draft with a key', async () => {
    const cwd = await usedFolder();
    const complaints = [
      [
        ['backup', 'b'],
        `There is no room for ${cwd}/b/backup.json (EFBIG): make room, and run the same command again.`,
      ],
      [['init'], 'There is no room for trunkline.toml (EFBIG): make room, and run the same command again.'],
      [
        ['migrate'],
        `The database ${cwd}/data/trunkline.db cannot be used: disk I/O error; check the disk, and that there is room on it.`,
      ],
      [
        ['serve', '--data-dir', 'new', '--port', '0'],
        'The secret key cannot be written: new/secret.key (EFBIG). Make room, or set SECRET_KEY.',
      ],
    ] as const;
    for (const [args, complaint] of isLongForm ? complaints : complaints.slice(0, 2))
      expect(await withRoomFor(0, cwd, args)).toMatchObject({
        code: 1,
        stderr: args[0] === 'serve' ? expect.stringContaining(complaint) : `trunkline: ${complaint}\n`,
      });
    const names = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(names).not.toContain('trunkline.toml');
  });

  it.runIf(isLongForm)('leaves no data of a person behind if there is no room for all of it', async () => {
    const { cwd, env, server } = await startCommandHarness();
    const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
    const { id: instance } = await client.createInstance();
    await client.connect(instance);
    const content = 'a'.repeat(100_000);
    const { id } = await client.sendFile({ instance, content });
    const command = ['export', '--number', '15550100', '--to', 'person'];
    expect(await withRoomFor(64, cwd, command)).toEqual({
      code: 1,
      stdout: '',
      stderr: `trunkline: There is no room for ${cwd}/person.part (EFBIG): make room, and run the same command again.\n`,
    });
    expect(readdirSync(cwd)).toEqual(['data']);
    expect(await runCommand(command, { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'person', 'media', `${id}.txt`), 'utf8')).toBe(content);
    await server.stop();
  });

  it('does not treat an empty text as the current folder, and names a name that is too long', async () => {
    const cwd = await usedFolder();
    const before = readdirSync(cwd);
    for (const [args, complaint] of [
      [['backup', ''], '<directory> must not be empty.'],
      [['restore', ''], '<directory> must not be empty.'],
      [['backup', 'b', '--key', ''], '--key must not be empty.'],
    ] as const)
      expect(await runCommand(args, { cwd })).toEqual({
        code: 2,
        stdout: '',
        stderr: `trunkline: ${complaint}\n`,
      });
    const long = 'x'.repeat(5_000);
    const refused = await runCommand(['backup', long], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^trunkline: .{100}… has a name that is too long \(ENAMETOOLONG\): name another one\.\n$/,
    );
    const nowhere = await runCommand(['backup', 'none/b'], { cwd });
    expect(nowhere.stderr).toBe(
      `trunkline: ${cwd}/none/b is missing, or the directory that it is to be in: make that first, or name another one.\n`,
    );
    expect(readdirSync(cwd)).toEqual(before);
  });

  it.runIf(isLongForm)('creates complete files on a disk without hard links, and replaces none', async () => {
    const withoutLinks = {
      NODE_OPTIONS: `--import=${new URL('../support/no-hard-links.ts', import.meta.url).href}`,
    };
    const { cwd, env, server } = await startCommandHarness(withoutLinks);
    const run = (...args: readonly string[]): Promise<CommandResult> =>
      runCommand(args, { cwd, env: { ...env, ...withoutLinks } });
    const client = testClient(server.url, env['TRUNKLINE_API_KEY']);
    const { id: instance } = await client.createInstance();
    await client.connect(instance);
    const message = await client.sendFile({ instance, content: 'as it was sent' });
    expect(await run('messages', 'download', message.id, 'copy')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'copy'), 'utf8')).toBe('as it was sent');
    writeFileSync(join(cwd, 'own'), 'was there');
    expect(await run('messages', 'download', message.id, 'own')).toMatchObject({ code: 1, stdout: '' });
    expect(readFileSync(join(cwd, 'own'), 'utf8')).toBe('was there');
    await server.stop();

    const former = readFileSync(join(cwd, 'data', 'secret.key'), 'utf8');
    expect(await run('rotate-secret-key', '--yes')).toMatchObject({ code: 0 });
    const keys = readdirSync(join(cwd, 'data')).filter((name) => name.startsWith('secret.key.'));
    expect(keys.map((name) => readFileSync(join(cwd, 'data', name), 'utf8'))).toEqual([former]);
    expect(await run('init', '--port', '0')).toMatchObject({ code: 0 });
    expect(await run('init', '--port', '0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('trunkline.toml already exists'),
    });
    expect(readdirSync(cwd).toSorted()).toEqual(['copy', 'data', 'own', 'trunkline.toml']);
  });
});
