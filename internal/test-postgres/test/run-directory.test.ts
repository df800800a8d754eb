import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { makeRunDirectory } from '../src/run-directory.ts';
import { startProgram } from './support/start-program.ts';

it('the tests of a run have their temporary files in its directory', () => {
  expect(basename(tmpdir())).toMatch(/^trunkline-run-/);
});

it('the directory of a run is gone when the run is killed', async () => {
  const { said, kill } = await startProgram('start-run', {});
  const { path } = said as { path: string }; // safe: start-run prints this
  writeFileSync(join(path, 'a-file'), '');
  await kill();
  await eventually(() => expect(existsSync(path)).toBe(false));
});

it('a run removes the directories of dead runs, and none of running ones', async () => {
  vi.stubEnv('TMPDIR', mkdtempSync(join(tmpdir(), 'trunkline-')));
  onTestFinished(() => void vi.unstubAllEnvs());
  const goesOn = await makeRunDirectory();
  onTestFinished(() => goesOn.remove());
  const elsewhere = await startProgram('start-run', {});
  const { path } = elsewhere.said as { path: string }; // safe: start-run prints this
  const left = join(tmpdir(), 'trunkline-run-left');
  mkdirSync(join(left, 'full'), { recursive: true });

  const next = await makeRunDirectory();
  expect(existsSync(left)).toBe(false);
  expect([goesOn.path, path].filter(existsSync)).toEqual([goesOn.path, path]);
  await next.remove();
  expect(existsSync(next.path)).toBe(false);
});
