import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProcess } from './contract-subject.ts';

/**
 * Starts a program that calls `holdEverything`, with the Node options of this test run; resolves once the program
 * holds everything that it could claim.
 */
export async function startHolding(program: URL, ...values: readonly string[]): Promise<TestProcess> {
  const path = fileURLToPath(program);
  const child = spawn(process.execPath, [...process.execArgv, path, ...values], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()));
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const expectLine = async (wanted: string): Promise<void> => {
    const { value } = await lines.next();
    if (value === wanted) return;
    await closed;
    throw new Error(`${path} ended before it was ${wanted}: ${complaints}`);
  };
  await expectLine('holding');
  return {
    freeze: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    close() {
      child.stdin.end();
      return expectLine('closed');
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
