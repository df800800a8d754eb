import { errorCode } from './start-error.ts';

const CODES: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Whether a file could not be written because the disk, a quota or a limit of the process is full. */
export function isNoRoom(error: unknown): boolean {
  return CODES.includes(errorCode(error));
}
