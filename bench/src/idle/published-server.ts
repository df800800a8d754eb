import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PACKAGE = new URL('../../../packages/server/', import.meta.url);

/** The arguments of Node for the server from its sources. */
export const SERVER_SOURCE: readonly string[] = [
  '--conditions=source',
  fileURLToPath(new URL('src/cli.ts', PACKAGE)),
  'serve',
];

/** Those for the server as it is published, which is built first, after the pages of the dashboard that are in it. */
export function publishedServer(): readonly string[] {
  const packages = ['--filter', '@trunkline/dashboard', '--filter', 'trunkline'];
  execFileSync('pnpm', [...packages, '--workspace-concurrency=1', 'run', 'build'], {
    cwd: PACKAGE,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return [fileURLToPath(new URL('dist/cli.js', PACKAGE)), 'serve'];
}
