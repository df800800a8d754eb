import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { errorCode } from '../errors/start-error.ts';

/**
 * Without these flags, a pipe without a writer would block its reader, and a terminal would become the process's
 * controlling terminal.
 */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The content read, with the size, mode and owner of the same file. */
export interface RegularFile {
  readonly content: Buffer;
  /** In bytes; larger than `content` if the file exceeds the requested maximum. */
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
}

/** Thrown if a path leads to a directory, a pipe, a socket or a device instead of a file. */
export class NotAFileError extends Error {}

/**
 * Reads the beginning of a file, `maxBytes` at most, without waiting. Throws a NotAFileError for anything but a file,
 * and the system's error (ENOENT, EACCES…) if it cannot be opened.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<RegularFile> {
  const file = await open(path, READ).catch((error: unknown) => {
    throw errorCode(error) === 'ENXIO' ? new NotAFileError(path) : error; // a socket cannot be opened
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

/** Whether a path is a symbolic link. Call it if a file seems to be missing, to detect a broken link. */
export async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
