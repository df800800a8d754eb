import { once } from 'node:events';

/**
 * Reports that this process is ready, and waits for its parent to close stdin, so that several processes begin
 * together.
 */
export async function waitForParent(): Promise<void> {
  print('ready');
  process.stdin.resume();
  await once(process.stdin, 'end');
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
