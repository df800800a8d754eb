import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../errors/start-error.ts';
import { CommandError } from '../errors/command-error.ts';
import { naming } from '../errors/system-error.ts';

// Files of backups are never read or written through a symbolic link, because anyone who can write to a backup's folder
// could link to any other file of the machine.

const WRITE_BY_ALL = 0o002;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface CopyProgress {
  readonly signal: AbortSignal;
  readonly isWanted: (name: string) => boolean;
  /** Called after each file, with its size. */
  readonly onFile: (bytes: number) => void;
}

/**
 * Returns the kind of a path, without following a link; null if it does not exist. Throws for a link, a pipe, a socket
 * or a device.
 */
export async function kindAt(path: string): Promise<'file' | 'directory' | null> {
  try {
    const found = await lstat(path);
    if (found.isFile()) return 'file';
    if (found.isDirectory()) return 'directory';
    throw new CommandError(
      found.isSymbolicLink()
        ? `${path} is a symbolic link, which is not followed: replace it with what it leads to.`
        : `${path} is neither a file nor a directory: remove it.`,
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Creates a directory that only its owner can access, unless it exists. Refuses a directory that every user can write
 * to.
 */
export async function directoryAt(path: string): Promise<void> {
  const kind = await kindAt(path);
  if (kind === 'file')
    throw new CommandError(`${path} is a file, and has to be a directory: name another one.`);
  if (kind === null) await mkdir(path, { mode: 0o700 });
  else if (process.platform !== 'win32' && ((await lstat(path)).mode & WRITE_BY_ALL) !== 0)
    throw new CommandError(
      `Every user of this machine can change what is in ${path}: run "chmod o-w ${path}", or name another directory.`,
    );
}

/**
 * Copies the wanted files of a directory and of all directories below it. Existing files of the same size are kept, so
 * that an interrupted copy can be continued. Files that vanish during the copy are skipped.
 */
export async function copyDirectory(from: string, to: string, progress: CopyProgress): Promise<void> {
  await directoryAt(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    progress.signal.throwIfAborted();
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDirectory(source, target, progress);
    else if (progress.isWanted(entry.name)) await copyFile(source, target, progress);
  }
}

async function copyFile(
  from: string,
  to: string,
  { signal, onFile }: Pick<CopyProgress, 'signal' | 'onFile'>,
): Promise<void> {
  if ((await kindAt(from)) !== 'file') return;
  const { size } = await lstat(from);
  const there = await kindAt(to);
  if (there === 'directory')
    throw new CommandError(`${to} is a directory, and would be overwritten: remove it.`);
  if (there === null) await copyDurably(from, to, signal);
  else if ((await lstat(to)).size !== size)
    throw new CommandError(`${to} is another file than ${from}, and would be overwritten: remove it.`);
  onFile(size);
}

/** Copies a file if it exists, and names the copy once all its content is on disk. */
export async function copyDurably(from: string, to: string, signal: AbortSignal): Promise<void> {
  const draft = `${to}.part`;
  await rm(draft, { force: true });
  const source = await open(from, READ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (!source) return;
  const target = await open(draft, 'wx', 0o600);
  // The pipeline closes both files, even if it fails.
  await naming(to, () =>
    pipeline(source.createReadStream(), target.createWriteStream({ flush: true }), { signal }),
  );
  await rename(draft, to);
}

/** Writes a file, readable only by its owner, whole or not at all. Replaces an existing file. */
export async function writeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.part`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    try {
      await naming(path, async () => {
        await file.writeFile(content);
        await file.sync();
      });
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }); // a part of a key may be in it
    throw error;
  }
}

/** The first `maxBytes` of a file as text; null if no file is at the path. */
export async function readSmall(path: string, maxBytes = 65_536): Promise<string | null> {
  if ((await kindAt(path)) !== 'file') return null;
  const file = await open(path, READ);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const file = await open(path, READ);
  const hash = createHash('sha256');
  await pipeline(file.createReadStream(), hash, { signal });
  return hash.digest('hex');
}
