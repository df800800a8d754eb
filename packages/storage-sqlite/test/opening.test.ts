import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteStorage } from '../src/index.ts';
import { aWorkspace } from '@trunkline/storage-contract/examples';
import { connectTo, openStorage, openWithConnection } from './support/open-storage.ts';
import { storageContext } from './support/storage-context.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** The access bits of each file, in octal. */
function modesIn(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
  );
}

describe('a storage opens', () => {
  it('a new file, and finds in it what it wrote', async () => {
    const path = join(temporaryDirectory(), 'new.db');
    const workspace = aWorkspace();
    const first = await openStorage(path);
    await first.workspaces.insert(workspace);
    await first.close();
    const second = await openStorage(path);
    expect(await second.workspaces.find(workspace.id)).toEqual(workspace);
  });

  it.skipIf(process.platform === 'win32')(
    'the file that a symbolic link leads to, even if it does not exist yet, and knows its size',
    async () => {
      const [links, files] = [temporaryDirectory(), temporaryDirectory()];
      symlinkSync(files, join(links, 'directory'));
      symlinkSync('directory/real.db', join(links, 'link.db'));
      const storage = await openStorage(join(links, 'link.db'));
      await storage.workspaces.insert(aWorkspace());
      expect(readdirSync(links).toSorted()).toEqual(['directory', 'link.db']);
      const sizes = readdirSync(files)
        .filter((name) => /\.db(-wal)?$/.test(name))
        .map((name) => statSync(join(files, name)).size);
      expect(sizes).toHaveLength(2);
      expect((await storage.describe()).sizeBytes).toBe(sizes.reduce((sum, size) => sum + size));
    },
  );

  it.skipIf(process.platform === 'win32')(
    'a new file for its owner only, with its log and its index',
    async () => {
      const directory = temporaryDirectory();
      const storage = await openStorage(join(directory, 'new.db'));
      await storage.workspaces.insert(aWorkspace());
      expect(modesIn(directory)).toEqual({ 'new.db': '600', 'new.db-shm': '600', 'new.db-wal': '600' });
    },
  );

  it.skipIf(process.platform === 'win32')('a file with a mode of its own, and keeps it', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'shared.db');
    await (await openStorage(path)).close();
    chmodSync(path, 0o660);
    await (await openStorage(path)).workspaces.insert(aWorkspace());
    expect(modesIn(directory)).toMatchObject({ 'shared.db': '660', 'shared.db-wal': '660' });
  });

  it('an empty file', async () => {
    const path = join(temporaryDirectory(), 'empty.db');
    writeFileSync(path, '');
    const storage = await openStorage(path);
    expect(await storage.setting('name', 'value')).toBe('value');
  });

  it.each(['50% off?.db', 'a#b.db', 'file:a.db', 'ä ö.db'])('a file called %s', async (name) => {
    const directory = temporaryDirectory();
    await (await openStorage(join(directory, name))).close();
    await openStorage(join(directory, name));
    expect(readdirSync(directory)).toContain(name);
  });

  it('leaves one file behind when it is closed', async () => {
    const directory = temporaryDirectory();
    const storage = await openStorage(join(directory, 'test.db'));
    await storage.workspaces.insert(aWorkspace());
    await storage.close();
    expect(readdirSync(directory)).toEqual(['test.db']);
  });

  it('a file that a dead process left in the middle of its work', async () => {
    const directory = temporaryDirectory();
    const [path, copy] = [join(directory, 'test.db'), join(directory, 'copy')];
    const workspace = aWorkspace();
    await (await openStorage(path)).workspaces.insert(workspace);
    mkdirSync(copy);
    for (const name of ['test.db', 'test.db-wal']) cpSync(join(directory, name), join(copy, name));
    const storage = await openStorage(join(copy, 'test.db'));
    expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
  });

  it('a database in memory, and keeps nothing after it is closed', async () => {
    const storage = await openStorage(':memory:');
    expect(await storage.setting('name', 'first')).toBe('first');
    await storage.close();
    await storage.open(storageContext);
    expect(await storage.setting('name', 'second')).toBe('second');
  });

  it('so that a commit is on disk before the response', async () => {
    const { connection } = await openWithConnection(join(temporaryDirectory(), 'test.db'));
    const FULL = 2;
    expect(connection.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: FULL });
    expect(connection.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });
});

describe('a storage refuses', () => {
  it('a file in a directory that does not exist, and creates none', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'missing', 'test.db');
    const why = `The database ${path} cannot be used: the directory ${join(directory, 'missing')} does not exist.`;
    await expect(sqliteStorage({ path }).open(storageContext)).rejects.toThrow(why);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('a directory', async () => {
    const path = temporaryDirectory();
    const why = `The database ${path} cannot be used: it is not a file.`;
    await expect(sqliteStorage({ path }).open(storageContext)).rejects.toThrow(why);
  });

  const refused: readonly [what: string, why: string, make: (path: string) => void | Promise<void>][] = [
    ['a text', 'file is not a database', (path) => writeFileSync(path, 'Dear diary,\n'.repeat(500))],
    ['a few bytes', 'file is not a database', (path) => writeFileSync(path, 'x')],
    ['zeros', 'file is not a database', (path) => writeFileSync(path, Buffer.alloc(8192))],
    [
      'a cut-off file',
      'database disk image is malformed',
      async (path) => truncateSync(await closed(path), 8192),
    ],
    ['an overwritten schema', 'database disk image is malformed', overwriteSchema],
    ['another program’s database', 'it is a SQLite database, but not one of Trunkline.', makeForeign],
    [
      'another program’s database with a log',
      'it is a SQLite database, but not one of Trunkline.',
      (path) => makeForeign(path, 'PRAGMA journal_mode = WAL'),
    ],
    [
      'a newer version’s database',
      'it was made by a newer version of Trunkline (schema 1000; this one knows ',
      async (path) => execute(await closed(path), 'PRAGMA user_version = 1000'),
    ],
    [
      'a database from before 0.1.0',
      'it was made before Trunkline 0.1.0 (schema 34), and cannot be upgraded: ',
      (path) => execute(path, ...BEFORE_FIRST_RELEASE),
    ],
  ];

  it.each(refused)('%s, and writes nothing', async (_, why, make) => {
    const directory = temporaryDirectory();
    const path = join(directory, 'test.db');
    await make(path);
    const before = contents(directory);
    const opening = sqliteStorage({ path }).open(storageContext);
    await expect(opening).rejects.toThrow(`The database ${path} cannot be used: ${why}`);
    expect(contents(directory)).toEqual(before);
  });

  it('a newer version’s database that is in use, and does not change it', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'test.db');
    const storage = await openStorage(path);
    connectTo(path).exec('PRAGMA user_version = 1000');
    const before = contents(directory);
    await expect(sqliteStorage({ path }).open(storageContext)).rejects.toThrow('a newer version');
    expect(contents(directory)).toEqual(before);
    expect(await storage.setting('name', 'value')).toBe('value');
  });

  it.each([
    [
      undefined,
      'sqliteStorage: the options must be an object, and are undefined. It may have: path, lockTimeoutMs.',
    ],
    [
      './x.db',
      'sqliteStorage: the options must be an object, and are a string. It may have: path, lockTimeoutMs.',
    ],
    [
      { path: './x.db', lockTimeout: 0 },
      'sqliteStorage: there is no option "lockTimeout". Did you mean "lockTimeoutMs"?',
    ],
    [{}, 'sqliteStorage: the option "path" is missing. Give the path of a file, or ":memory:".'],
    [
      { path: '' },
      'sqliteStorage: the option "path" is wrong: it must be the path of a file, or ":memory:".',
    ],
    [{ path: 5 }, 'sqliteStorage: the option "path" is wrong: it must be the path of a file, or ":memory:".'],
    [
      { path: 'a.db', lockTimeoutMs: -1 },
      'sqliteStorage: the option "lockTimeoutMs" is wrong: it must be a whole number, 0 or more.',
    ],
    [
      { path: 'a\0b' },
      'sqliteStorage: the option "path" is wrong: it must be the path of a file, or ":memory:".',
    ],
  ])('the options %j', (options, why) => {
    expect(() => Reflect.apply(sqliteStorage, undefined, [options])).toThrow(new TypeError(why));
  });
});

describe('a storage that is not open', () => {
  const notOpen = 'The storage is not open';

  it('rejects every call, and says that it is not open', async () => {
    const storage = sqliteStorage({ path: join(temporaryDirectory(), 'test.db') });
    await expect(storage.setting('name', 'value')).rejects.toThrow(notOpen);
    await expect(storage.workspaces.insert(aWorkspace())).rejects.toThrow(notOpen);
    await expect(storage.deliveries.sweepClosed(1)).rejects.toThrow(notOpen);
    await storage.open(storageContext);
    await storage.close();
    await expect(storage.setting('name', 'value')).rejects.toThrow(notOpen);
    await expect(storage.workspaces.find('ten_1')).rejects.toThrow(notOpen);
  });

  it('can be closed, and closed again', async () => {
    const storage = sqliteStorage({ path: join(temporaryDirectory(), 'test.db') });
    await storage.close();
    await storage.open(storageContext);
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    await storage.close();
    await storage.close();
    await storage.open(storageContext);
    expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
    await storage.close();
  });

  it('opens once the cause of a refusal is gone', async () => {
    const directory = join(temporaryDirectory(), 'later');
    const storage = sqliteStorage({ path: join(directory, 'test.db') });
    await expect(storage.open(storageContext)).rejects.toThrow('does not exist');
    mkdirSync(directory);
    await storage.open(storageContext);
    await storage.close();
  });
});

it('a storage that is open is not opened again', async () => {
  const storage = await openStorage(join(temporaryDirectory(), 'test.db'));
  await expect(storage.open(storageContext)).rejects.toThrow(
    'The storage is already open: close it first, or create another one.',
  );
  expect(await storage.setting('name', 'value')).toBe('value');
});

/** Every file of a directory with its bytes, except the index of the log, which SQLite may rebuild. */
function contents(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory).filter((name) => !name.endsWith('-shm'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'base64')]));
}

/** Creates those parts of a database from before 0.1.0 that a storage checks. The application id is "trnk". */
const BEFORE_FIRST_RELEASE = [
  'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID',
  'PRAGMA application_id = 1953656427',
  'PRAGMA user_version = 34',
];

/** Creates a database of Trunkline and closes it. */
async function closed(path: string): Promise<string> {
  const storage = sqliteStorage({ path });
  await storage.open(storageContext);
  await storage.close();
  return path;
}

function execute(path: string, ...statements: readonly string[]): void {
  const connection = new DatabaseSync(path);
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

function makeForeign(path: string, ...statements: readonly string[]): void {
  execute(path, ...statements, 'CREATE TABLE recipes (name TEXT)', "INSERT INTO recipes VALUES ('soup')");
}

/** The schema begins in the file's first page, after a header of 100 bytes. */
async function overwriteSchema(path: string): Promise<void> {
  const bytes = readFileSync(await closed(path));
  writeFileSync(path, bytes.fill(0xab, 100, 4096));
}
