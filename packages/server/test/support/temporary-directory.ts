import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

/** The directory is removed after the tests of the file. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-'));
  made.push(path);
  return path;
}

afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});
