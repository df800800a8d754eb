import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PACKAGE = new URL('../../../packages/server/', import.meta.url);

/** The arguments with which Node runs the server from its sources. */
export const SERVER_SOURCE: readonly string[] = [
  '--conditions=source',
  fileURLToPath(new URL('src/cli.ts', PACKAGE)),
  'serve',
];

/**
 * The arguments for the published server. Builds the dashboard, whose pages the server includes, and then the server.
 */
export function publishedServer(): readonly string[] {
  const packages = ['--filter', '@trunkline/dashboard', '--filter', 'trunkline'];
  execFileSync('pnpm', [...packages, '--workspace-concurrency=1', 'run', 'build'], {
    cwd: PACKAGE,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return [fileURLToPath(new URL('dist/cli.js', PACKAGE)), 'serve'];
}
