import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PACKAGE = new URL('../../../packages/server/', import.meta.url);

export const SERVER_SOURCE: readonly string[] = [
  '--conditions=source',
  fileURLToPath(new URL('src/cli.ts', PACKAGE)),
  'serve',
];

/** Builds the server, and the dashboard that it includes. */
export function publishedServer(): readonly string[] {
  const packages = ['--filter', '@trunkline/dashboard', '--filter', 'trunkline'];
  execFileSync('pnpm', [...packages, '--workspace-concurrency=1', 'run', 'build'], {
    cwd: PACKAGE,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return [fileURLToPath(new URL('dist/cli.js', PACKAGE)), 'serve'];
}
