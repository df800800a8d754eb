import { once } from 'node:events';

/**
 * Reports that this process is ready, and waits for its parent to close stdin, so that several processes begin
 * together.
 */
export async function waitForParent(): Promise<void> {
  await print('ready');
  process.stdin.resume();
  await once(process.stdin, 'end');
}

/** Resolves when the parent's pipe has taken the line, which no longer is lost then if this process is killed. */
export function print(line: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
}
