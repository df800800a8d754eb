import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** In memory if the system has such a directory, so that a slow disk cannot delay a test. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function makeDirectory(parent = PARENT): string {
  return mkdtempSync(join(parent, 'trunkline-sqlite-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

export function temporaryDirectory(parent = PARENT): string {
  const directory = makeDirectory(parent);
  onTestFinished(() => removeDirectory(directory));
  return directory;
}
