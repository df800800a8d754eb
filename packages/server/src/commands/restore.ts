import { readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncDirectory } from '../files/create-whole.ts';
import { filesIn, RESTORE_MARKER } from '../files/data-files.ts';
import type { Settings } from '../settings/settings.ts';
import { withExclusiveLock } from '../files/exclusive-lock.ts';
import { filesOfBackup, readManifest } from '../files/backup-manifest.ts';
import type { BackupManifest } from '../files/backup-manifest.ts';
import { keyPathOf, sqlitePathOf } from './backup.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError } from '../errors/command-error.ts';
import { localSettings, withLocalService } from './local-service.ts';
import { withMessageFiles } from '../files/message-files.ts';
import {
  copyDirectory,
  copyDurably,
  digestOf,
  directoryAt,
  kindAt,
  readSmall,
  writeWhole,
} from '../files/safe-files.ts';
import { facts } from '../terminal/table.ts';

/** Restores a backup to the locations in the settings. Never overwrites a file with other content. */
export const restoreCommand: CommandHandler = async (call) => {
  const backup = resolve(call.argument('directory'));
  const settings = await localSettings(call);
  const database = sqlitePathOf(settings);
  const { dataDirectory } = settings;
  if ((await kindAt(backup)) !== 'directory') throw new CommandError(`There is no backup at ${backup}.`);
  const manifest = await readManifest(backup);
  if (!manifest) throw new CommandError(`${backup} is not a backup: it has no backup.json.`);
  const digest = manifest.database_sha256;
  if (!manifest.is_complete || digest === null)
    throw new CommandError(`The backup ${backup} is not complete: run "trunkline backup" in it again.`);
  const { database: copy } = filesOfBackup(backup);
  call.output.progress('checking the backup');
  if ((await kindAt(copy)) !== 'file' || (await digestOf(copy, call.signal)) !== digest)
    throw new CommandError(`The database of the backup ${backup} is damaged: restore another one.`);

  const key = await keyFor(call, { settings, backup });
  await checkPlace(dataDirectory, { database, digest });
  await directoryAt(dataDirectory);
  await withExclusiveLock(
    {
      path: join(dataDirectory, 'restore.lock'),
      refusal: `Another "trunkline restore" writes to ${dataDirectory}: wait until it has ended, or name another directory with --data-dir.`,
      isRemoved: true,
    },
    () => restoreTo(call, { settings, backup, manifest, digest, database, key }),
  );
};

interface Work {
  readonly settings: Settings;
  readonly backup: string;
  readonly manifest: BackupManifest;
  /** The SHA-256 of the backup's database. */
  readonly digest: string;
  readonly database: string;
  /** The key to write; null if the settings have it. */
  readonly key: string | null;
}

async function restoreTo(
  call: Call,
  { settings, backup, manifest, digest, database, key }: Work,
): Promise<void> {
  const { dataDirectory } = settings;
  const [from, to] = [filesOfBackup(backup), filesIn(dataDirectory)];
  await checkPlace(dataDirectory, { database, digest });
  await writeWhole(join(dataDirectory, RESTORE_MARKER), `${digest}\n`);
  let [mediaFiles, others] = [0, 0];
  if (settings.s3 === null && (await kindAt(from.media)) === 'directory') {
    await withMessageFiles(from.database, (isOfMessage) =>
      copyDirectory(from.media, to.media, {
        signal: call.signal,
        isWanted(name) {
          const isWanted = isOfMessage(name);
          if (!isWanted) others += 1;
          return isWanted;
        },
        onFile() {
          mediaFiles += 1;
          if (mediaFiles % 100 === 0)
            call.output.progress(`${mediaFiles} of ${manifest.media_files} files of messages`);
        },
      }),
    );
  }
  if (mediaFiles + others < manifest.media_files && settings.s3 === null)
    throw new CommandError(
      `The backup ${backup} had ${manifest.media_files} files of messages, and has ${mediaFiles + others}: restore another one.`,
    );
  if (key !== null) await writeWhole(to.secretKey, `${key}\n`);
  // Copied last, so that no server finds a database before its key and files.
  if ((await kindAt(database)) === null) {
    call.output.progress('the database');
    await copyDurably(from.database, database, call.signal);
  }
  await rm(join(dataDirectory, RESTORE_MARKER), { force: true });
  await syncDirectory(dirname(database));
  await withLocalService(call, async () => {}); // checks that the key fits and the schema is known
  call.output.result(
    { data: { directory: dataDirectory, database, media_files: mediaFiles, taken_at: manifest.taken_at } },
    facts({
      restored: backup,
      'as of': manifest.taken_at,
      to: dataDirectory,
      'files of messages': mediaFiles,
    }),
  );
  call.output.note('Never run it next to the server that it came from: both would send the same messages.');
}

async function keyFor(
  { options }: Call,
  { settings, backup }: { settings: Settings; backup: string },
): Promise<string | null> {
  if (settings.secretKey !== undefined) return null;
  const path = keyPathOf(options, backup);
  const key = await readSmall(path);
  if (key === null)
    throw new CommandError(`The secret key is not at ${path}: name its file with --key, or set SECRET_KEY.`);
  const { secretKey } = filesIn(settings.dataDirectory);
  const there = await readSmall(secretKey);
  if (there !== null && there.trim() !== key.trim())
    throw new CommandError(
      `${secretKey} has another key, which would be overwritten: name another directory with --data-dir.`,
    );
  return key.trim();
}

/** Throws if files would be overwritten, unless this restore was interrupted there earlier. */
async function checkPlace(
  dataDirectory: string,
  { database, digest }: { database: string; digest: string },
): Promise<void> {
  const marker = join(dataDirectory, RESTORE_MARKER);
  const begun = await readSmall(marker);
  if (begun !== null && begun.trim() === digest) return;
  for (const path of [database, `${database}-wal`, filesIn(dataDirectory).media, marker]) {
    const isThere =
      (await kindAt(path)) === 'directory' ? (await readdir(path)).length > 0 : (await kindAt(path)) !== null;
    if (isThere)
      throw new CommandError(
        `${path} already exists, and would be overwritten: name another directory with --data-dir.`,
      );
  }
}
