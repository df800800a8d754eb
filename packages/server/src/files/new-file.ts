import { randomBytes } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncDirectory } from './create-whole.ts';
import { nameDraft } from './name-draft.ts';
import { isNoRoom } from '../errors/no-room.ts';
import { errorCode } from '../errors/start-error.ts';
import { CommandError } from '../errors/command-error.ts';

interface NewFile {
  readonly path: string;
  /** Cancelled if the file cannot be created. */
  readonly content: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
}

/**
 * Writes a new file, readable only by its owner, which gets its name once its content is on disk. A killed process
 * leaves a hidden file that ends in `.part`. Never replaces a file or a link at `path`. Returns the size in bytes.
 * Throws the signal's reason, or a CommandError that says why no file was written.
 */
export async function writeNewFile({ path, content, signal }: NewFile): Promise<number> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 40)}.${randomBytes(6).toString('hex')}.part`);
  const file = await openNew(path, draft).catch(async (error: unknown) => {
    await content.cancel();
    throw error;
  });
  try {
    const stream = file.createWriteStream({ flush: true });
    await pipeline(Readable.fromWeb(content), stream, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw unwritten(path, error);
    });
    await nameDraft(draft, path).catch((error: unknown) => {
      throw errorCode(error) === 'EEXIST' ? taken(path) : unmade(path, error);
    });
    await syncDirectory(dirname(path));
    return stream.bytesWritten;
  } finally {
    await rm(draft, { force: true });
  }
}

async function openNew(path: string, draft: string): Promise<FileHandle> {
  const found = await lstat(path).catch(() => null);
  if (found !== null) throw taken(path);
  try {
    return await open(draft, 'wx', 0o600);
  } catch (error) {
    throw unmade(path, error);
  }
}

function taken(path: string): CommandError {
  return new CommandError(`${path} already exists, and would be overwritten: name another file.`);
}

function unmade(path: string, error: unknown): CommandError {
  return new CommandError(
    `${path} cannot be made (${errorCode(error) ?? 'for an unknown reason'}): name a file in a directory that you can write to.`,
  );
}

function unwritten(path: string, error: unknown): Error {
  if (error instanceof CommandError) return error;
  const code = errorCode(error);
  return new CommandError(
    isNoRoom(error)
      ? `There is no room for ${path} (${code}): nothing was kept. Make room, or name a file elsewhere.`
      : `The file could not be downloaded to ${path}: ${code ?? 'the connection ended'}. Nothing was kept: try again.`,
  );
}
