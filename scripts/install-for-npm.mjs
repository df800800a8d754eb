// Lets `npm start` and `npm test` work in a fresh clone: npm runs this before them. pnpm installs by itself before it runs
// a script (`verifyDepsBeforeRun` in pnpm-workspace.yaml). Runs on the machine's own Node.
import { spawnSync } from 'node:child_process';

if (process.env.npm_config_user_agent?.startsWith('npm/')) {
  const { error, status } = spawnSync('npx', ['--yes', 'pnpm@12', 'install'], { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
