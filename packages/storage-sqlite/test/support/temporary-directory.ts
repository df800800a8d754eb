import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** In memory where there is such a place: what a test asks of the disk is then no matter of milliseconds. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function makeDirectory(): string {
  return mkdtempSync(join(PARENT, 'trunkline-sqlite-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

/** A directory that is gone when the running test is over. */
export function temporaryDirectory(): string {
  const directory = makeDirectory();
  onTestFinished(() => removeDirectory(directory));
  return directory;
}
