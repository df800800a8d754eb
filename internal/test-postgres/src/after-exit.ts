import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface AfterExit {
  /** Sets the process to kill; null when that process has ended. */
  kill(pid: number | null): void;
  /** Cleans up now. Resolves when that is done. */
  cleanUp(): Promise<void>;
}

/**
 * Each line of input names the process to kill. The input ends when the process that started the script ends, in any
 * way. Another process may still write into the directory, so that removing it can take more than one attempt.
 */
const SCRIPT = `
while read -r line; do pid=$line; done
[ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null
[ -n "$1" ] || exit 0
for attempt in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$1" 2>/dev/null && exit 0; sleep 0.5; done
exit 1
`;

/**
 * Cleans up after this process, even if it is killed: ends a process that this one has started, and removes the
 * directory, if given. A shell does this, in its own process group, so that a Ctrl-C does not end the shell.
 */
export function afterExit({ directory }: { readonly directory: string | null }): AfterExit {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', directory ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(shell, 'close');
  ended.catch(() => undefined); // `cleanUp` gets the error
  shell.stdin.on('error', () => undefined); // the shell was killed, which `ended` reports
  shell.unref();
  return {
    kill(pid) {
      shell.stdin.write(`${pid ?? ''}\n`);
    },
    async cleanUp() {
      shell.ref();
      shell.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`${directory} could not be removed: look for what still runs in it.`);
    },
  };
}
