import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A program that is measured in a separate process. It sends a message when it is ready, and then one response to each
 * message.
 */
export interface Child<Ready> {
  readonly ready: Ready;
  ask<Reply>(question: unknown): Promise<Reply>;
  /** Lets the program clean up, and waits for its end. */
  stop(): Promise<void>;
  /** Ends the program as `kill -9` does. */
  kill(): Promise<void>;
}

/** Starts a module of this folder. The module's first message becomes `ready`. */
export async function startChild<Ready>(program: URL, ...values: readonly string[]): Promise<Child<Ready>> {
  const child = fork(program, values, {
    execArgv: ['--conditions=source', ...(process.env['CHILD_ARGS']?.split(' ') ?? [])],
  });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${program.pathname} ended before it responded.`);
  });
  failed.catch(() => {}); // also rejects when the program ends on request
  const nextMessage = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), failed]))[0];
  const ready = (await nextMessage()) as Ready; // the program's first message
  /** Responses do not name their question, so each question waits for the previous response. */
  let responded: Promise<unknown> = Promise.resolve();
  return {
    ready,
    ask<Reply>(question: unknown) {
      const response = responded.then(async () => {
        child.send(question as string);
        return (await nextMessage()) as Reply; // the program's response
      });
      responded = response.catch(() => {});
      return response;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The program's side: reports that it is ready, and responds to questions until the parent disconnects. */
export function serveParent(
  ready: unknown,
  respond: (question: unknown) => unknown,
  stop: () => Promise<void> | void,
): void {
  const reply = async (question: unknown): Promise<void> => {
    process.send?.(await respond(question));
  };
  const leave = async (): Promise<void> => {
    await stop();
    process.exit();
  };
  process.on('message', (question) => void reply(question));
  process.on('disconnect', () => void leave());
  process.send?.(ready);
}
