// `pnpm check [commit]`: formats and lints the files that changed since the commit (by default, the last one), and
// checks the types of all files, because a change may break others. Earlier results are cached.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [base = 'HEAD'] = process.argv.slice(2);
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', '-z', base),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
].filter((file) => file !== '' && existsSync(join(root, file)));
const code = changed.filter((file) => /\.[cm]?[jt]sx?$/.test(file));

const steps = [];
if (changed.length > 0)
  steps.push(['prettier', '--write', '--log-level=warn', '--ignore-unknown', ...changed]);
if (code.length > 0) steps.push(['oxlint', '--type-aware', '--deny-warnings', ...code]);
// In this order, because the linter reads prettier's output.
for (const step of steps) await run(...step);
const projects = ['tsconfig.json'];
if (code.some((file) => file.startsWith('packages/dashboard/app/'))) projects.push('packages/dashboard/app');
for (const project of projects) {
  const remembered = join('node_modules/.cache', `${project.replaceAll('/', '-')}.tsbuildinfo`);
  await run('tsc', '-p', project, '--incremental', '--tsBuildInfoFile', remembered);
}

async function run(program, ...args) {
  const started = performance.now();
  const child = spawn(join(root, 'node_modules/.bin', program), args, { cwd: root, stdio: 'inherit' });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  console.log(
    `${program}: ${status === 0 ? 'ok' : 'FAILED'}, ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) process.exitCode = 1;
}
