import { readFileSync } from 'node:fs';
import { hideSqliteWarning } from '../start/node-warnings.ts';
import { runCommandLine } from './program.ts';

hideSqliteWarning();

/** Runs the command of this process. Sets the exit code instead of exiting, so that all output is written first. */
export async function main(manifest: URL): Promise<void> {
  // A reader that ends early, as `head` does, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`trunkline: The output cannot be written (${error.code ?? error.message}).\n`);
    process.exit(1);
  });
  // A closed stderr is ignored, because the exit code says how the command ended.
  process.stderr.on('error', () => {});
  process.exitCode = await runCommandLine(process.argv.slice(2), versionIn(manifest));
}

function versionIn(manifest: URL): string {
  const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  return typeof content === 'object' && content !== null && 'version' in content
    ? String(content.version)
    : '';
}
