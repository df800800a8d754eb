import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** On a real disk: what a commit costs is one of the things that are measured. `BENCH_DIR` chooses another one. */
export function makeDirectory(): string {
  return mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'trunkline-bench-'));
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
