import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Logger, MediaStore } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import type { MovableDatabase, MoveMark } from '@trunkline/storage-kit';
import { checkDataFiles } from '../files/data-files.ts';
import type { DataFiles } from '../files/data-files.ts';
import { storageOn } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { movableOn, placeOf } from '../move/databases.ts';
import { DifferingRows, moveData } from '../move/move-data.ts';
import { moveMedia } from '../move/move-media.ts';
import type { MovedMedia } from '../move/move-media.ts';
import { openOnce } from '../database/open-once.ts';
import { reasonOf } from '../errors/start-error.ts';
import type { Settings } from '../settings/settings.ts';
import { databaseNamed } from '../database/database-url.ts';
import { trySecretKey } from '../start/try-secret-key.ts';
import { hasPassword } from '../settings/url-password.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { existingFiles, existingSecretKeys, localSettings, refuseEmptyPostgres } from './local-service.ts';
import { refuseServers } from './no-server.ts';
import { directoryAt } from '../files/safe-files.ts';
import { facts } from '../terminal/table.ts';

/**
 * Moves everything from one database to another, SQLite or PostgreSQL. Once the move begins, no process can change the
 * source, so the copy is complete and can continue after a kill.
 */
export const moveCommand: CommandHandler = async (call) => {
  const settings = await localSettings(call);
  const source = databaseGiven(call, 'from') ?? settings.database;
  if (call.options.flag('undo')) return undo(call, source);
  const target = databaseGiven(call, 'to');
  if (!target) throw usageError('--to is missing: name the database that everything is moved to.');
  if (placeOf(source) === placeOf(target)) throw usageError('--from and --to are the same database.');
  const files = await existingFiles({ ...settings, database: source });
  await refuseEmptyPostgres(source);
  if (target.kind === 'sqlite')
    await checkDataFiles({ directory: settings.dataDirectory, database: target.path });
  const media = await mediaStores(call, settings, files);
  await withOpened(call, source, async (from) => {
    const sourceMark = await sourceMarkOf(from, { source, target });
    if (!sourceMark) await checkSource(call, { settings, files, source });
    await withOpened(call, target, async (to) => {
      try {
        await move(call, { source, target, from, to, sourceMark, media });
      } catch (error) {
        throw error instanceof DifferingRows || (await from.mark()) === null ? error : notEnded(error);
      }
    });
  });
};

type SourceMark = Extract<MoveMark, { role: 'source' }>;

interface Move {
  readonly source: Database;
  readonly target: Database;
  readonly from: MovableDatabase;
  readonly to: MovableDatabase;
  /** The mark of an earlier run; null in the first run. */
  readonly sourceMark: SourceMark | null;
  /** Null if the files of messages stay where they are. */
  readonly media: { readonly from: MediaStore; readonly to: MediaStore } | null;
}

/** Adds how to continue the move to an unexpected error's message. */
function notEnded(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  const reason = reasonOf(error).replace(/\.$/, '');
  return new CommandError(
    `${reason}. The move has not ended: when this is fixed, the same command continues where it was; "trunkline move --undo" gives it up.`,
  );
}

async function move(call: Call, { source, target, from, to, sourceMark, media }: Move): Promise<void> {
  const { output, signal } = call;
  const targetMark = await to.mark();
  const begun = targetMark?.role === 'target' && targetMark.id === sourceMark?.id ? targetMark : null;
  if (!begun) await checkTarget(call, { target, to, mark: targetMark });
  if (!sourceMark)
    await requireConfirmation(
      call,
      `Everything is moved from ${placeOf(source)} to ${placeOf(target)}. From now on no server can use the first one.`,
    );
  const started = performance.now();
  const mark: SourceMark = sourceMark ?? {
    role: 'source',
    id: randomUUID(),
    target: placeOf(target),
    isComplete: false,
  };
  if (!sourceMark) await from.freeze(mark);
  let tables: Readonly<Record<string, number>> = {};
  let files: MovedMedia | null = null;
  // `progress` is null if the move was killed after completing the target.
  if (!begun || begun.progress !== null) {
    const expected = await from.estimate();
    const inTarget = begun ?? {
      role: 'target' as const,
      id: mark.id,
      source: placeOf(source),
      progress: { tables: {}, cursor: null },
    };
    if (!begun && !(await to.claim(inTarget))) throw notEmpty(target);
    const moved = await moveData({
      source: from,
      target: to,
      mark: inTarget,
      signal,
      onProgress: ({ phase, rows }) => output.progress(`${phase} ${rows} of about ${expected} rows`),
    });
    tables = moved.rows;
    if (media)
      files = await moveMedia({
        database: from,
        ...media,
        signal,
        onProgress: (moved) => output.progress(`${moved.files} files of messages`),
      });
    output.progress('preparing the new database');
    await to.finish({ expected: moved.mark, next: { ...inTarget, progress: null } });
  }
  await from.writeMark({ ...mark, isComplete: true });
  report(call, { target, tables, files, seconds: (performance.now() - started) / 1000 });
}

function report(
  { output }: Call,
  {
    target,
    tables,
    files,
    seconds: exactly,
  }: {
    readonly target: Database;
    readonly tables: Readonly<Record<string, number>>;
    readonly files: MovedMedia | null;
    readonly seconds: number;
  },
): void {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const seconds = Math.round(exactly * 10) / 10;
  const data = {
    target: placeOf(target),
    rows,
    tables,
    media_files: files?.files ?? null,
    media_bytes: files?.bytes ?? null,
    media_missing: files?.missing ?? null,
    seconds,
    rows_per_second: Math.round(rows / Math.max(exactly, 0.001)),
  };
  output.result(
    { data },
    facts({
      'moved to': placeOf(target),
      rows: `${rows}, each compared (${data.rows_per_second} per second)`,
      messages: tables['messages'] ?? 0,
      'files of messages': files === null ? 'stay where they are' : files.files,
    }),
  );
  if (files !== null && files.missing > 0)
    output.note(`${files.missing} files that messages name were missing before the move, and are still.`);
  output.say(`\nNext: set DATABASE_URL to the new database, keep the secret key, and run "trunkline serve".`);
}

/** Throws unless the target is empty and no process uses it. */
async function checkTarget(
  call: Call,
  {
    target,
    to,
    mark,
  }: { readonly target: Database; readonly to: MovableDatabase; readonly mark: MoveMark | null },
): Promise<void> {
  if (mark?.role === 'target' && mark.progress !== null)
    throw new CommandError(
      `${placeOf(target)} has a part of what a move from ${mark.source} has written, which has not ended: end that one, or name a new database. Nothing was moved.`,
    );
  if (mark || !(await to.isEmpty())) throw notEmpty(target);
  await refuseServers(call, { database: target, logger: quietLogger(call) });
}

function notEmpty(target: Database): CommandError {
  return new CommandError(
    `${placeOf(target)} is not empty: name a new database. Nothing was moved, and nothing in it was changed.`,
  );
}

/** The mark of an unfinished move to this target; null if no move has begun. Throws for any other move. */
async function sourceMarkOf(
  from: MovableDatabase,
  { source, target }: { readonly source: Database; readonly target: Database },
): Promise<SourceMark | null> {
  const mark = await from.mark();
  if (mark?.role === 'target' && mark.progress !== null)
    throw new CommandError(
      `The move from ${mark.source} to ${placeOf(source)} has not ended: end that one first.`,
    );
  if (mark?.role !== 'source') return null;
  if (mark.isComplete)
    throw new CommandError(
      `${placeOf(source)} was moved to ${mark.target} already. To move it once more, and without what has happened there since, run "trunkline move --undo" first.`,
    );
  if (mark.target !== placeOf(target))
    throw new CommandError(
      `The move of ${placeOf(source)} to ${mark.target} has not ended: name that one with --to, or run "trunkline move --undo".`,
    );
  return mark;
}

/** Throws unless the key fits and no server runs, because a running server's work would be lost. */
async function checkSource(
  call: Call,
  {
    settings,
    files,
    source,
  }: { readonly settings: Settings; readonly files: DataFiles; readonly source: Database },
): Promise<void> {
  const storage = openOnce(await storageOn(source));
  const logger = quietLogger(call);
  try {
    await trySecretKey(storage, { secretKey: await existingSecretKeys(settings, files), logger });
  } finally {
    await storage.close();
  }
  await refuseServers(call, { database: source, logger });
}

async function undo(call: Call, source: Database): Promise<void> {
  if (source.kind === 'sqlite') await existingFiles({ ...(await localSettings(call)), database: source });
  await withOpened(call, source, async (from) => {
    const mark = await from.mark();
    if (mark?.role !== 'source')
      throw new CommandError(`${placeOf(source)} was not moved: there is nothing to undo.`);
    await requireConfirmation(
      call,
      mark.isComplete
        ? `${placeOf(source)} can be used again, without what has happened at ${mark.target} since. A server on each of the two would send the same messages: delete the other one first.`
        : `${placeOf(source)} can be used again, and its move to ${mark.target} is given up.`,
    );
    await from.thaw();
    call.output.result({ data: { database: placeOf(source) } }, `${placeOf(source)} can be used again.`);
  });
}

async function withOpened(
  call: Call,
  database: Database,
  use: (opened: MovableDatabase) => Promise<void>,
): Promise<void> {
  const movable = await movableOn(database);
  await movable.open({ logger: quietLogger(call) });
  try {
    await use(movable);
  } finally {
    await movable.close();
  }
}

/**
 * `env:NAME` names a variable that holds the address, so that no password is on a command line, which other users can
 * read.
 */
function databaseGiven({ options, environment }: Call, name: 'from' | 'to'): Database | undefined {
  const given = options.text(name);
  if (given === undefined) return undefined;
  if (given === '') throw usageError(`--${name} must not be empty.`);
  const variable = /^env:(\w+)$/.exec(given)?.[1];
  const url = variable === undefined ? given : environment[variable]?.trim();
  if (url === undefined || url === '')
    throw usageError(`--${name}: the environment has no variable ${variable}.`);
  if (variable === undefined && hasPassword(url))
    throw usageError(
      `--${name} has a password in it, which other users of this machine could read: put it into a variable, and name that as --${name} env:NAME.`,
    );
  const database = databaseNamed(url);
  if (database.kind === 'flaw')
    throw usageError(
      `--${name} ${database.complaint} It may also be env: and the name of a variable that has the address.`,
    );
  return database.kind === 'sqlite' ? database : { ...database, maxConnections: 2, poolMode: 'session' };
}

async function mediaStores(call: Call, settings: Settings, files: DataFiles): Promise<Move['media']> {
  const place = call.options.text('media-to');
  if (place === undefined) return null;
  if (place === '') throw usageError('--media-to must not be empty.');
  const from = settings.s3 ? await storeInS3(settings) : storeIn(files.media);
  const bucket = /^s3:(.+)$/.exec(place)?.[1];
  if (bucket !== undefined) {
    const given = { variable: 'S3_BUCKET', name: '--media-to', text: bucket };
    return { from, to: await storeInS3(await localSettings(call, [given])) };
  }
  await directoryAt(resolve(place));
  return { from, to: storeIn(resolve(place)) };
}

async function storeInS3({ s3 }: Settings): Promise<MediaStore> {
  if (!s3) throw usageError('--media-to s3: has to name a bucket.');
  return (await import('../start/media-files.ts')).mediaFilesIn(s3);
}

function storeIn(directory: string): MediaStore {
  const { media } = nodeRuntime({ mediaDirectory: directory });
  if (media) return media;
  throw new Error(`There is no store for the files in ${directory}.`);
}

function quietLogger({ output }: Call): Logger {
  const note = (_: Readonly<Record<string, unknown>>, message: string): void =>
    output.note(`trunkline: ${message}`);
  return { debug() {}, info: (_, message) => output.progress(message), warn: note, error: note };
}
