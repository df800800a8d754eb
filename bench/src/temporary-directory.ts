import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a directory on a real disk, since commits are measured, too. `BENCH_DIR` is the folder to make it in. */
export function makeDirectory(): string {
  return mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'trunkline-bench-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
