import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PACKAGE = new URL('../../../packages/server/', import.meta.url);

/** The arguments of Node for the server from its sources. */
export const SERVER_SOURCE: readonly string[] = [
  '--conditions=source',
  fileURLToPath(new URL('src/cli.ts', PACKAGE)),
  'serve',
];

/** Those for the server as it is published, which is built first. */
export function publishedServer(): readonly string[] {
  execFileSync('pnpm', ['run', 'build'], { cwd: PACKAGE, stdio: ['ignore', 'ignore', 'inherit'] });
  return [fileURLToPath(new URL('dist/cli.js', PACKAGE)), 'serve'];
}
