// Prepares a release: sets the next version of the packages and the Helm chart, moves the changesets into CHANGELOG.md,
// and writes the figures of the version into docs/figures.md. Run by `pnpm release:version`; docs/maintaining.md has the
// steps before and after.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { releaseNotes, withRelease } from './release-notes.ts';
import type { Changeset } from './release-notes.ts';
import { ROOT, releaseVersion } from './published-packages.ts';

const CHANGELOG = join(ROOT, 'CHANGELOG.md');
const CHART = join(ROOT, 'deploy/helm/trunkline/Chart.yaml');

const changesets = readChangesets();
if (changesets.length === 0)
  throw new Error('There is no changeset: nothing has changed since the last release.');
changeset('version');
const version = releaseVersion();
const date = new Date().toISOString().slice(0, 10);
const notes = releaseNotes({ version, date, changesets });
writeFileSync(CHANGELOG, withRelease(readFileSync(CHANGELOG, 'utf8'), notes));
writeFileSync(CHART, readFileSync(CHART, 'utf8').replace(/^appVersion: .*/m, `appVersion: ${version}`));
execFileSync(process.execPath, ['--conditions=source', 'scripts/figures.mjs', '--record'], {
  cwd: ROOT,
  stdio: 'inherit',
});
console.log(`Prepared ${version}. Read its section in CHANGELOG.md, and commit.`);

function readChangesets(): readonly Changeset[] {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-release-'));
  const plan = join(folder, 'plan.json');
  try {
    changeset('status', '--output', relative(ROOT, plan));
    // The file is written by the option --output of changesets.
    return (JSON.parse(readFileSync(plan, 'utf8')) as { changesets: readonly Changeset[] }).changesets;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function changeset(...args: readonly string[]): void {
  execFileSync('changeset', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}
