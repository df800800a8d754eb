import { isNoRoom } from './no-room.ts';
import { errorCode } from './start-error.ts';

const SHOWN = 100;

/** Says why a file or a directory could not be used, and what to do next; null for any other error. */
export function systemComplaint(error: unknown): string | null {
  const code = errorCode(error);
  const named =
    error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : null;
  const path = named !== null && named.length > SHOWN ? `${named.slice(0, SHOWN)}…` : named;
  if (isNoRoom(error))
    return `There is no room for ${path ?? 'what was to be written'} (${code}): make room, and run the same command again.`;
  switch (code) {
    case 'EROFS':
      return `${path ?? 'What was to be written'} is on a disk that can only be read (${code}): name a place on another one.`;
    case 'EIO':
      return `The disk of ${path ?? 'a file'} has a fault (${code}): look into the log of the system.`;
    default:
  }
  if (path === null) return null;
  switch (code) {
    case 'ENAMETOOLONG':
      return `${path} has a name that is too long (${code}): name another one.`;
    case 'ENOENT':
      return `${path} is missing, or the directory that it is to be in: make that first, or name another one.`;
    case 'ENOTDIR':
      return `${path} is below something that is not a directory (${code}): name another one.`;
    case 'EISDIR':
      return `${path} is a directory (${code}), where a file was expected: name another one.`;
    case 'ELOOP':
      return `${path} is a symbolic link that is not followed (${code}): replace it with what it leads to.`;
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be used by this user (${code}): change its mode or its owner, or name another one.`;
    default:
      return null;
  }
}

/** Adds the path to a system error that has none, such as the error of a failed write. */
export async function naming<Value>(path: string, use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  }
}
