import { errorCode } from './start-error.ts';

const CODES: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Whether a write failed because the disk or a quota is full, or the file would be too large. */
export function isNoRoom(error: unknown): boolean {
  return CODES.includes(errorCode(error));
}
