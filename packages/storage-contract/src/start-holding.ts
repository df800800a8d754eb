import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProcess } from './contract-subject.ts';

/** Starts a program that calls `holdEverything`; resolves once it holds all that it could take. */
export async function startHolding(program: URL, ...values: readonly string[]): Promise<TestProcess> {
  const child = spawn(process.execPath, ['--conditions=source', program.pathname, ...values], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const expectLine = async (wanted: string): Promise<void> => {
    const { value } = await lines.next();
    if (value !== wanted) throw new Error(`${program.pathname} ended before it was ${wanted}.`);
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
