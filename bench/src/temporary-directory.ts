import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `BENCH_DIR` should name a folder on a real disk, because commits are measured, too. */
export function makeDirectory(): string {
  return mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'trunkline-bench-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
