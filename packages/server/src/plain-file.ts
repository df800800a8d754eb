import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { errorCode } from './start-error.ts';

/** A pipe without a writer would keep its reader waiting, and a terminal would become the one of the process. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The content that was read, with the size, mode and owner of the same file. */
export interface PlainFile {
  readonly content: Buffer;
  /** In bytes; more than the content has if the file is longer than was asked for. */
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
}

/** Thrown if a path has a directory, a pipe, a socket or a device instead of a file. */
export class NotAFileError extends Error {}

/**
 * Reads the beginning of a file, `maxBytes` at most, without waiting. Throws a NotAFileError for anything but a file,
 * and the error of the system (ENOENT, EACCES…) if it cannot be opened.
 */
export async function readPlainFile(path: string, maxBytes: number): Promise<PlainFile> {
  const file = await open(path, READ).catch((error: unknown) => {
    throw errorCode(error) === 'ENXIO' ? new NotAFileError(path) : error; // how a socket is refused
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new NotAFileError(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { content: buffer.subarray(0, bytesRead), size: stat.size, mode: stat.mode, uid: stat.uid };
  } finally {
    await file.close();
  }
}

/** Whether a path is a symbolic link; for a path that seems to be missing, since its target is. */
export async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
