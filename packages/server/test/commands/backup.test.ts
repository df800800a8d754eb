import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { runCommand, startCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandHarness } from '../support/command-process.ts';
import { runServer, startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';

/** Enough files that a kill hits a backup between the first and the last. */
const FILES = sized('FILES', { short: 1_500, long: 1_500 });
const FILLER_MB = 150;

type Place = Pick<CommandHarness, 'cwd' | 'run'>;

let used: Promise<string> | undefined;

async function stoppedServer(): Promise<Place> {
  const cwd = temporaryDirectory();
  cpSync(await (used ??= useDirectory()), cwd, { recursive: true });
  return { cwd, run: (...args) => runCommand(args, { cwd }) };
}

async function useDirectory(): Promise<string> {
  const cwd = temporaryDirectory();
  const server = await startServer({ env: {}, cwd });
  await server.stop();
  return cwd;
}

function backup({ cwd, run }: Place, ...more: readonly string[]): ReturnType<CommandHarness['run']> {
  return run('backup', join(cwd, 'backup'), ...more);
}

function contents(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
}

function own(cwd: string, names: readonly string[]): void {
  const database = new DatabaseSync(join(cwd, 'data', 'trunkline.db'));
  const insert = database.prepare(
    "INSERT INTO contents (message_id, begun_at, instance_id) VALUES (?, 1, 'ins_1')",
  );
  database.exec('BEGIN');
  for (const name of names) insert.run(name);
  database.exec('COMMIT');
  database.close();
}

function addMedia(cwd: string): void {
  own(
    cwd,
    Array.from({ length: FILES }, (_, number) => `upl_${number}`),
  );
  for (let number = 0; number < FILES; number += 1) {
    const folder = join(cwd, 'data', 'media', String(number % 50).padStart(2, '0'));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `upl_${number}`), `file ${number}`, { mode: 0o600 });
  }
}

describe('A backup', () => {
  it.runIf(isLongForm)(
    'has every message accepted before it began under load, and restores elsewhere under load',
    async () => {
      const harness = await startCommandHarness({ API_KEY: 'a-key-for-the-tests' });
      const { cwd, server, run, env } = harness;
      const client = testClient(server.url);
      await run('connect', '--scan');
      const [{ data: instances } = { data: {} }] = await harness.json('instances', 'list');
      const [{ id: instance = '' } = {}] = instances as unknown as readonly { readonly id?: string }[]; // the specification defines this type
      const answered: string[] = [];
      let isLoaded = true;
      const load = async (): Promise<void> => {
        while (isLoaded)
          answered.push((await client.send({ instance, to: '15550001', text: 'under load' })).id);
      };
      const loads = Promise.all([load(), load(), load(), load()]);
      const file = await client.sendFile({ instance, content: 'kept with the message' });
      await until('some are answered', () => answered.length >= 100);

      const before = [...answered, file.id];
      const taken = await backup(harness);
      expect({ code: taken.code, stderr: taken.stderr }).toMatchObject({ code: 0 });
      const during = answered.length - before.length;
      const directory = join(cwd, 'backup');
      expect(readdirSync(directory).toSorted()).toEqual(['backup.json', 'media', 'trunkline.db']);
      for (const path of [directory, join(directory, 'trunkline.db'), `${directory}.key`])
        expect(statSync(path).mode & 0o077).toBe(0);

      const elsewhere = temporaryDirectory();
      const restored = await runCommand(['restore', directory, '--json'], { cwd: elsewhere, env });
      isLoaded = false;
      await loads;
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(restored.stdout)).toMatchObject({ data: { directory: 'data', media_files: 1 } });
      expect(during).toBeGreaterThan(0);
      await server.stop();

      const next = await startServer({ env: { DATA_DIR: join(elsewhere, 'data'), RATE_LIMIT: '0' } });
      const there = testClient(next.url);
      for (const id of before) expect((await there.message(id)).id).toBe(id);
      const { body } = await there.request('GET', `/api/v1/messages/${file.id}`);
      expect(body).toMatchObject({ data: { media: { available: true } } });
      expect(await next.stop()).toBe(0);
    },
  );

  it.runIf(isLongForm)('continues where it was after a kill, as does a restore', async () => {
    const place = await stoppedServer();
    const { cwd } = place;
    addMedia(cwd);
    const directory = join(cwd, 'backup');
    const owned = contents(join(cwd, 'data', 'media'));
    const copied = (path: string): number =>
      readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /upl_\d+$/.test(name)).length;
    const killAtHalf = async (args: readonly string[], path: string): Promise<number> => {
      const command = startCommand(args, { cwd });
      await until('some files are copied', () => {
        try {
          return copied(path) > 50;
        } catch {
          return false; // the directory does not exist yet, or a file was just renamed
        }
      });
      await command.kill();
      return copied(path);
    };
    const atHalf = await killAtHalf(['backup', directory], directory);
    expect(atHalf).toBeLessThan(FILES);
    expect((await place.run('restore', directory, '--data-dir', 'restored')).stderr).toBe(
      `trunkline: The backup ${directory} is not complete: run "trunkline backup" in it again.\n`,
    );
    const database = statSync(join(directory, 'trunkline.db')).mtimeMs;
    // A file that arrives after the database was copied, so that no message of the backup has it.
    writeFileSync(join(cwd, 'data', 'media', '00', 'upl_later'), 'later');
    expect(await backup(place)).toMatchObject({ code: 0 });
    expect(statSync(join(directory, 'trunkline.db')).mtimeMs).toBe(database);
    expect(contents(join(directory, 'media'))).toEqual(owned);
    // A file of the backup that belongs to no message in it.
    writeFileSync(join(directory, 'media', '00', 'upl_later'), 'later');

    const target = join(cwd, 'restored');
    expect(await killAtHalf(['restore', directory, '--data-dir', target], target)).toBeLessThan(FILES);
    expect(readdirSync(target)).not.toContain('trunkline.db');
    expect(await place.run('restore', directory, '--data-dir', target)).toMatchObject({ code: 0 });
    expect(contents(join(target, 'media'))).toEqual(owned);
    expect(readdirSync(target).toSorted()).toEqual(['media', 'secret.key', 'trunkline.db']);
    expect(readFileSync(join(target, 'secret.key'))).toEqual(readFileSync(join(cwd, 'data', 'secret.key')));
  });

  it.runIf(isLongForm)(
    'leaves nothing that looks complete if it is killed while it copies the database, and neither does a restore',
    async () => {
      const place = await stoppedServer();
      const { cwd } = place;
      const database = join(cwd, 'data', 'trunkline.db');
      const large = new DatabaseSync(database);
      // Large enough that a kill comes while the database is copied.
      large.exec(`CREATE TABLE filler AS
      WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < ${FILLER_MB})
      SELECT n, randomblob(1000000) AS filler FROM row`);
      large.close();
      const killDuring = async (args: readonly string[], draft: string): Promise<void> => {
        const command = startCommand(args, { cwd });
        await until('the copy has begun', () => existsSync(draft) && statSync(draft).size > 0);
        await command.kill();
        expect(readdirSync(dirname(draft))).not.toContain('trunkline.db');
      };
      const directory = join(cwd, 'backup');
      await killDuring(['backup', directory], join(directory, 'trunkline.db.part'));
      expect((await place.run('restore', directory, '--data-dir', 'restored')).stderr).toBe(
        `trunkline: The backup ${directory} is not complete: run "trunkline backup" in it again.\n`,
      );
      expect(await backup(place)).toMatchObject({ code: 0 });
      expect(readdirSync(directory).toSorted()).toEqual(['backup.json', 'trunkline.db']);

      const target = join(cwd, 'restored');
      const restore = ['restore', directory, '--data-dir', target];
      await killDuring(restore, join(target, 'trunkline.db.part'));
      const refused = await runServer({ env: { DATA_DIR: target } });
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('a restore into it has not ended');
      expect(await place.run(...restore)).toMatchObject({ code: 0 });
      expect(readdirSync(target).filter((name) => !name.includes('-'))).toEqual([
        'secret.key',
        'trunkline.db',
      ]);
      const restored = new DatabaseSync(join(target, 'trunkline.db'), { readOnly: true });
      expect(restored.prepare('SELECT count(*) AS rows FROM filler').get()).toEqual({ rows: FILLER_MB });
      restored.close();
    },
  );

  it('overwrites nothing, and neither does a restore', async () => {
    const place = await stoppedServer();
    const { cwd, run } = place;
    const directory = join(cwd, 'backup');
    const refused = async (args: readonly string[], complaint: string): Promise<void> => {
      const before = contents(cwd);
      expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: `trunkline: ${complaint}\n` });
      expect(contents(cwd)).toEqual(before);
    };
    mkdirSync(join(cwd, 'full'));
    writeFileSync(join(cwd, 'full', 'letter.txt'), 'mine');
    mkdirSync(join(cwd, 'open'));
    chmodSync(join(cwd, 'open'), 0o777);
    await refused(
      ['backup', join(cwd, 'open')],
      `Every user of this machine can change what is in ${cwd}/open: run "chmod o-w ${cwd}/open", or name another directory.`,
    );
    await refused(
      ['backup', join(cwd, 'full')],
      `${cwd}/full is not empty, and not a backup: name another directory.`,
    );
    writeFileSync(`${directory}.key`, 'another key of more than 32 characters');
    expect((await backup(place)).stderr).toBe(
      `trunkline: ${directory}.key has another key, which would be overwritten: name another file with --key.\n`,
    );
    expect((await backup(place, '--key', join(cwd, 'my.key'))).code).toBe(0);
    await refused(
      ['backup', directory],
      `${directory} has a complete backup, which would be overwritten: name another directory.`,
    );
    await refused(
      ['restore', directory, '--key', join(cwd, 'my.key')],
      'data/trunkline.db already exists, and would be overwritten: name another directory with --data-dir.',
    );
    await refused(['restore', join(cwd, 'full')], `${cwd}/full is not a backup: it has no backup.json.`);
    await refused(
      ['restore', directory, '--data-dir', 'new', '--key', 'none'],
      `The secret key is not at ${cwd}/none: name its file with --key, or set SECRET_KEY.`,
    );
    const database = join(directory, 'trunkline.db');
    const bytes = readFileSync(database);
    bytes[bytes.length - 1] = 1 ^ (bytes.at(-1) ?? 0);
    writeFileSync(database, bytes);
    await refused(
      ['restore', directory, '--data-dir', 'new', '--key', join(cwd, 'my.key')],
      `The database of the backup ${directory} is damaged: restore another one.`,
    );
    writeFileSync(join(directory, 'backup.json'), '{"format":99}');
    await refused(
      ['restore', directory, '--data-dir', 'new'],
      `${directory}/backup.json is damaged, or of a newer version of Trunkline: restore another backup.`,
    );
  });

  it('follows no symbolic link: neither out of the media folder nor out of a backup', async () => {
    const place = await stoppedServer();
    const { cwd, run } = place;
    const secret = join(cwd, 'secret.txt');
    writeFileSync(secret, 'of somebody else');
    const media = join(cwd, 'data', 'media', 'zz');
    mkdirSync(media, { recursive: true });
    const link = join(media, 'upl_link');
    own(cwd, ['upl_link', 'upl_file']);
    symlinkSync(secret, link);
    const complaint = (path: string): object => ({
      code: 1,
      stdout: '',
      stderr: `trunkline: ${path} is a symbolic link, which is not followed: replace it with what it leads to.\n`,
    });
    expect(await backup(place)).toEqual(complaint(relative(cwd, link)));
    rmSync(link);
    symlinkSync(cwd, link);
    expect(await backup(place)).toEqual(complaint(relative(cwd, link)));
    rmSync(link);
    writeFileSync(join(media, 'upl_file'), 'a file');
    expect(await backup(place)).toMatchObject({ code: 0 });

    const inBackup = join(cwd, 'backup', 'media', 'zz', 'upl_link');
    symlinkSync(secret, inBackup);
    expect(await run('restore', join(cwd, 'backup'), '--data-dir', 'new')).toEqual(complaint(inBackup));
    symlinkSync(join(cwd, 'backup'), join(cwd, 'other'));
    expect(await run('restore', join(cwd, 'other'), '--data-dir', 'newer')).toEqual(
      complaint(join(cwd, 'other')),
    );
    expect(await run('backup', join(cwd, 'other'))).toEqual(complaint(join(cwd, 'other')));
    expect(readFileSync(secret, 'utf8')).toBe('of somebody else');
  });

  it("is refused for a damaged database, and left to PostgreSQL's own tools", async () => {
    const place = await stoppedServer();
    const { cwd, run } = place;
    const database = join(cwd, 'data', 'trunkline.db');
    const bytes = readFileSync(database);
    bytes.fill(0xff, 8 * 4096, 20 * 4096);
    writeFileSync(database, bytes);
    expect(await backup(place)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/damaged|malformed|corrupt/),
    });
    expect(await run('backup', 'b', '--database-url', 'postgres://127.0.0.1/x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('take the backup with pg_dump'),
    });
  });
});
