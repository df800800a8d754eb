import { readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncDirectory } from '../files/create-whole.ts';
import { backup, DatabaseSync } from '../database/node-sqlite.ts';
import { END_ROTATION, findSecretKeys, readSecretKey } from '../start/secret-key.ts';
import { reasonOf } from '../errors/start-error.ts';
import type { DataFiles } from '../files/data-files.ts';
import type { Settings } from '../settings/settings.ts';
import { withExclusiveLock } from '../files/exclusive-lock.ts';
import {
  filesOfBackup,
  MANIFEST,
  NEW_MANIFEST,
  readManifest,
  writeManifest,
} from '../files/backup-manifest.ts';
import type { BackupManifest } from '../files/backup-manifest.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import { existingFiles, localSettings } from './local-service.ts';
import { withMessageFiles } from '../files/message-files.ts';
import { copyDirectory, digestOf, directoryAt, kindAt, readSmall, writeWhole } from '../files/safe-files.ts';
import { facts } from '../terminal/table.ts';

/** The number of pages (4 KiB each) copied per step. After each step, progress is reported and a signal is noticed. */
const PAGES_PER_STEP = 2_000;
/** The lock file, which stays in the directory until the backup is complete. */
const LOCK = 'backup.lock';

/**
 * Copies a database that may be in use, then the files of its messages. The secret key goes into a separate file. If
 * run again in the same directory, continues an interrupted backup.
 */
export const backupCommand: CommandHandler = async (call) => {
  const directory = resolve(call.argument('directory'));
  const keyPath = keyPathOf(call.options, directory);
  const settings = await localSettings(call);
  const path = sqlitePathOf(settings);
  const files = await existingFiles(settings);
  if ((await findSecretKeys(settings, files))?.isRotating === true)
    throw new CommandError(
      `A rotation of the secret key has not ended, so that one key alone would not open the backup: ${END_ROTATION}.`,
    );
  await checkPlace(directory);
  await withExclusiveLock(
    {
      path: join(directory, LOCK),
      refusal: `Another "trunkline backup" writes to ${directory}: wait until it has ended, or name another directory.`,
      isRemoved: true,
    },
    () => backUp(call, { settings, files, database: path, directory, keyPath }),
  );
};

interface Work {
  readonly settings: Settings;
  readonly files: DataFiles;
  readonly database: string;
  readonly directory: string;
  readonly keyPath: string;
}

async function backUp(call: Call, { settings, files, database, directory, keyPath }: Work): Promise<void> {
  let manifest = await checkPlace(directory);
  if (!manifest) {
    manifest = NEW_MANIFEST;
    await writeManifest(directory, manifest);
  }
  const key = settings.secretKey === undefined ? await keepKey(files.secretKey, keyPath) : null;

  if (manifest.database_sha256 === null) {
    const takenAt = new Date().toISOString();
    const { database: copy } = filesOfBackup(directory);
    await copyDatabase(call, database, copy);
    manifest = { ...manifest, taken_at: takenAt, database_sha256: await digestOf(copy, call.signal) };
    await writeManifest(directory, manifest);
  }
  let [mediaFiles, mediaBytes] = [0, 0];
  if ((await kindAt(files.media)) === 'directory' && settings.s3 === null) {
    const { database: copy, media } = filesOfBackup(directory);
    await withMessageFiles(copy, (isWanted) =>
      copyDirectory(files.media, media, {
        signal: call.signal,
        isWanted,
        onFile(bytes) {
          mediaFiles += 1;
          mediaBytes += bytes;
          if (mediaFiles % 100 === 0) call.output.progress(`${mediaFiles} files of messages`);
        },
      }),
    );
  }
  manifest = { ...manifest, is_complete: true, media_files: mediaFiles, media_bytes: mediaBytes };
  await writeManifest(directory, manifest);
  await syncDirectory(directory);
  call.output.result(
    { data: { directory, key, ...manifest } },
    facts({
      backup: directory,
      'taken at': manifest.taken_at,
      'files of messages': mediaFiles,
      'secret key': key ?? 'SECRET_KEY, which is not part of the backup',
    }),
  );
  if (key !== null) call.output.note('Keep the key elsewhere: who has both can read every secret.');
  if (settings.s3 !== null) call.output.note('The files of messages are in S3, and not part of the backup.');
}

/** The path of a backup's key file, which may not exist. */
export function keyPathOf(options: Call['options'], directory: string): string {
  const named = options.text('key');
  if (named === '') throw usageError('--key must not be empty.');
  return resolve(named ?? `${directory}.key`);
}

export function sqlitePathOf({ database }: Settings): string {
  if (database.kind === 'sqlite') return database.path;
  throw new CommandError(
    'The database is PostgreSQL, which has tools of its own: take the backup with pg_dump, and keep the secret key with it.',
  );
}

/** Returns the manifest of an unfinished backup; null for a new one. Throws if the directory holds anything else. */
async function checkPlace(directory: string): Promise<BackupManifest | null> {
  await directoryAt(directory);
  const manifest = await readManifest(directory);
  if (manifest?.is_complete === true)
    throw new CommandError(
      `${directory} has a complete backup, which would be overwritten: name another directory.`,
    );
  if (manifest) return manifest;
  // A killed backup may not have written its manifest.
  if ((await readdir(directory)).some((name) => name !== LOCK && name !== `${MANIFEST}.part`))
    throw new CommandError(`${directory} is not empty, and not a backup: name another directory.`);
  return null;
}

/** Copies the secret key to `path` and returns `path`; returns null if there is no key file. */
async function keepKey(secretKey: string, path: string): Promise<string | null> {
  const key = await readSecretKey(secretKey);
  if (key === undefined) return null;
  const there = await readSmall(path);
  if (there !== null && there.trim() !== key)
    throw new CommandError(
      `${path} has another key, which would be overwritten: name another file with --key.`,
    );
  if (there === null) await writeWhole(path, `${key}\n`);
  return path;
}

/**
 * Copies a snapshot of the database. The copy runs in a transaction, because SQLite otherwise starts over whenever a
 * server writes. The result is a single, checked file.
 */
async function copyDatabase({ output, signal }: Call, from: string, to: string): Promise<void> {
  const draft = `${to}.part`;
  for (const name of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`])
    await rm(name, { force: true });
  await writeWhole(draft, ''); // readable only by its owner, because SQLite would let every user read it
  try {
    await copyPages({ output, signal }, from, draft);
    output.progress('database: checking the copy');
    checkCopy(draft);
  } catch (error) {
    signal.throwIfAborted();
    throw new CommandError(
      `The database ${from} cannot be copied (${reasonOf(error)}): if it is damaged, restore an earlier backup; if the disk is full, make room.`,
    );
  }
  await rename(draft, to);
}

async function copyPages(
  { output, signal }: Pick<Call, 'output' | 'signal'>,
  from: string,
  to: string,
): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, to, {
      rate: PAGES_PER_STEP,
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted();
        output.progress(`database: ${Math.floor(100 * (1 - remainingPages / Math.max(1, totalPages)))} %`);
      },
    });
  } finally {
    source.close();
  }
}

/** Makes the copy a single file, without a write-ahead log next to it. Throws if the copy is damaged. */
function checkCopy(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const found = copy.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new Error(String(found));
  } finally {
    copy.close();
  }
}
