import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runServer, startServer } from './support/server-process.ts';
import { snapshot } from './support/snapshot.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ANOTHER_HOST = 'Set one that is, such as 127.0.0.1, or 0.0.0.0 for all of them.';

describe('What the server cannot work with', () => {
  const wrong: readonly (readonly [env: Record<string, string>, complaint: string])[] = [
    [{ HOST: '192.0.2.1' }, `HOST is not an address of this machine: 192.0.2.1. ${ANOTHER_HOST}`],
    [
      { HOST: 'no.such.host.invalid' },
      `HOST is not an address of this machine: no.such.host.invalid. ${ANOTHER_HOST}`,
    ],
    [
      { DATABASE_URL: 'sqlite:missing/trunkline.db' },
      'DATABASE_URL is in a directory that does not exist: missing. Create it first.',
    ],
    [{ DATABASE_URL: 'sqlite:.' }, 'The database is a directory: set DATABASE_URL to a file, and not to .'],
    [
      { DATA_DIR: 'missing/data' },
      'DATA_DIR cannot be made: there is no directory missing. Create that one first.',
    ],
    [{ DATA_DIR: 'a-file' }, 'DATA_DIR is not a directory: a-file. Set it to one, or to a new name.'],
    [
      { DATA_DIR: 'a-file/data' },
      'DATA_DIR cannot be made: there is no directory a-file. Create that one first.',
    ],
    [
      { DATA_DIR: '/proc/trunkline' },
      // Root passes the permission check and gets the kernel's error; other users fail the check.
      process.getuid?.() === 0
        ? 'DATA_DIR cannot be made: /proc/trunkline (ENOENT). Create it, or set DATA_DIR to another place.'
        : 'DATA_DIR would be in a directory that cannot be written to: /proc. Give the user of the server access, or set another place.',
    ],
    [
      { S3_BUCKET: 'acme-media' },
      'S3_KEY_ID is wrong: s3MediaStore: the option "credentials.accessKeyId" is missing or not printable.',
    ],
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535. It is "http".'],
  ];

  it.for(isLongForm ? wrong : wrong.slice(0, 1))(
    'is reported in one line, and nothing is written: %j',
    async ([env, complaint]) => {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'a-file'), '');
      const before = snapshot(cwd);
      const { code, stdout, complaints } = await runServer({ env, cwd });
      expect({ code, stdout, complaints: complaints() }).toEqual({
        code: 1,
        stdout: '',
        complaints: [complaint],
      });
      expect(snapshot(cwd)).toEqual(before);
    },
  );

  it('is reported in a line for each, none of which repeats a secret', async () => {
    const cwd = temporaryDirectory();
    const { code, stderr, complaints } = await runServer({
      env: { PORT: 'x', SECRET_KEY: 'hush', ROLES: 'cook,baker' },
      cwd,
    });
    expect(code).toBe(1);
    expect(complaints().map((complaint) => complaint.split(' ')[0])).toEqual(['PORT', 'SECRET_KEY', 'ROLES']);
    expect(stderr).toContain('cook,baker');
    expect(stderr).not.toContain('hush');
    expect(snapshot(cwd)).toEqual({});
  });

  it.runIf(isLongForm)('does not include empty variables', async () => {
    const cwd = temporaryDirectory();
    const server = await startServer({
      env: { DATABASE_URL: '', DATA_DIR: '', SECRET_KEY: '', ROLES: '' },
      cwd,
    });
    expect(await server.stop()).toBe(0);
    expect(existsSync(join(cwd, 'data', 'trunkline.db'))).toBe(true);
  });
});

describe('A start is refused with', () => {
  const first = 'a-secret-key-of-more-than-32-characters';

  let used: Promise<string> | undefined;

  async function usedDirectory(): Promise<string> {
    const copy = temporaryDirectory();
    cpSync(await (used ??= useDirectory()), copy, { recursive: true });
    return copy;
  }

  async function useDirectory(env: Record<string, string> = {}): Promise<string> {
    const cwd = temporaryDirectory();
    const server = await startServer({ env, cwd });
    await server.stop();
    return cwd;
  }

  async function complaintIn(cwd: string, env: Record<string, string> = {}): Promise<string> {
    const before = snapshot(cwd);
    const { code, stdout, complaints } = await runServer({ env, cwd });
    const [complaint = '', ...more] = complaints();
    expect({ code, stdout, more }).toEqual({ code: 1, stdout: '', more: [] });
    expect(snapshot(cwd)).toEqual(before);
    return complaint;
  }

  it('a file that is not a database', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', 'trunkline.db'), 'Once upon a time there was a database.');
    expect(await complaintIn(cwd)).toBe(
      'The database is damaged, or no SQLite file: data/trunkline.db. Restore it from a backup, or set DATABASE_URL to another file.',
    );
  });

  it.runIf(isLongForm)('a database that is damaged behind its header', async () => {
    const cwd = await usedDirectory();
    const path = join(cwd, 'data', 'trunkline.db');
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(bytes.length - 16, 0xff)]));
    expect(await complaintIn(cwd)).toMatch(/^The database \S*data\/trunkline.db cannot be used: /);
  });

  it.runIf(isLongForm)('a database of a newer version', async () => {
    const cwd = await usedDirectory();
    const database = new DatabaseSync(join(cwd, 'data', 'trunkline.db'));
    database.exec('PRAGMA user_version = 1000');
    database.close();
    expect(await complaintIn(cwd)).toMatch(
      /^The database \S*data\/trunkline.db cannot be used: .* newer version/,
    );
  });

  it.runIf(isLongForm)('a remote database that is not ours, without a DATA_DIR', async () => {
    const cwd = temporaryDirectory();
    const database = new DatabaseSync(join(cwd, 'cooking.db'));
    database.exec('CREATE TABLE recipes (name TEXT)');
    database.close();
    const env = { DATABASE_URL: 'sqlite:cooking.db', SECRET_KEY: first };
    expect(await complaintIn(cwd, env)).toMatch(
      /^The database \S*cooking.db cannot be used: .* not one of Trunkline/,
    );
  });

  it('a database without its secret key', async () => {
    const cwd = await usedDirectory();
    rmSync(join(cwd, 'data', 'secret.key'));
    expect(await complaintIn(cwd)).toBe(
      'The secret key of the database is missing: put data/secret.key back, or set SECRET_KEY to what it was set to.',
    );
  });

  it('an empty database instead of the one in use', async () => {
    const cwd = await usedDirectory();
    for (const end of ['', '-wal', '-shm']) rmSync(join(cwd, 'data', `trunkline.db${end}`), { force: true });
    const key = join(cwd, 'data', 'secret.key');
    renameSync(key, `${key}.away`);
    expect(await complaintIn(cwd)).toMatch(/^The database data\/trunkline.db is empty, /);
    expect(existsSync(key)).toBe(false);
    renameSync(`${key}.away`, key);
    expect(await complaintIn(cwd)).toBe(
      'The database data/trunkline.db is empty, and not the one that this data directory belongs to: put that one back, or restore a backup. To go on without it, remove data/database.id.',
    );
    if (!isLongForm) return;
    rmSync(join(cwd, 'data', 'database.id'));
    const server = await startServer({ env: {}, cwd });
    await server.stop();
  });

  it.runIf(isLongForm)(
    'a database of another data directory in the place of the one that was used',
    async () => {
      const [cwd, other] = [
        await useDirectory({ SECRET_KEY: first }),
        await useDirectory({ SECRET_KEY: first }),
      ];
      const path = join(cwd, 'data', 'trunkline.db');
      cpSync(path, `${path}.before`);
      cpSync(join(other, 'data', 'trunkline.db'), path);
      expect(await complaintIn(cwd, { SECRET_KEY: first })).toMatch(
        /^The database data\/trunkline.db is another one than the one that this data directory belongs to: /,
      );
      cpSync(`${path}.before`, path);
      const server = await startServer({ env: { SECRET_KEY: first }, cwd });
      await server.stop();
    },
  );

  it.runIf(isLongForm)('an emptied PostgreSQL database instead of the one in use', async () => {
    const [database, emptied] = [await newDatabase(), await newDatabase()];
    const cwd = await useDirectory({ DATABASE_URL: database.url });
    const { code, complaints } = await runServer({ env: { DATABASE_URL: emptied.url }, cwd });
    expect(code).toBe(1);
    expect(complaints()).toEqual([
      expect.stringMatching(/^The PostgreSQL database is empty, and not the one /),
    ]);
  });

  it.runIf(isLongForm)('a database with another secret key', async () => {
    const cwd = await useDirectory({ SECRET_KEY: first });
    expect(existsSync(join(cwd, 'data', 'secret.key'))).toBe(false);
    const another = `${first}, and another`;
    for (const env of [
      { SECRET_KEY: another },
      { SECRET_KEY: another, SECRET_KEY_PREVIOUS: `${another}s` },
    ]) {
      expect(await complaintIn(cwd, env)).toMatch(
        /^The secretKey is not the one that this database was set up with: .* Give that key \(SECRET_KEY\)/,
      );
    }
    const server = await startServer({ env: { SECRET_KEY: first }, cwd });
    await server.stop();
  });

  it.runIf(isLongForm)('a secret key that is damaged', async () => {
    const cwd = await usedDirectory();
    writeFileSync(join(cwd, 'data', 'secret.key'), 'half a k');
    expect(await complaintIn(cwd)).toBe(
      'The secret key is damaged: data/secret.key. Restore it from a backup: no other key opens the database.',
    );
  });

  it.runIf(isLongForm)('an invalid file of a sandbox network', async () => {
    const cwd = await usedDirectory();
    writeFileSync(join(cwd, 'data', 'sandbox.db'), 'Once upon a time there was a network.');
    expect(await complaintIn(cwd)).toBe(
      "The sandbox network's file cannot be used: data/sandbox.db (file is not a database). Without it the network starts empty: move it away if that is all right.",
    );
  });
});
