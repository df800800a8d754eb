import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A program that is measured in a process of its own. It talks by messages: it sends one when it is ready, and responds
 * to each that it gets.
 */
export interface Child<Ready> {
  readonly ready: Ready;
  ask<Reply>(question: unknown): Promise<Reply>;
  /** Lets it clean up, and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a module of this folder. Its first message becomes `ready`. */
export async function startChild<Ready>(program: URL, ...values: readonly string[]): Promise<Child<Ready>> {
  const child = fork(program, values, {
    execArgv: ['--conditions=source', ...(process.env['CHILD_ARGS']?.split(' ') ?? [])],
  });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${program.pathname} ended before it responded.`);
  });
  failed.catch(() => {}); // also when it ends on request
  const nextMessage = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), failed]))[0];
  const ready = (await nextMessage()) as Ready; // the program's first message
  /** Responses come in no order but that of the questions, so questions are asked one after the other. */
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
  };
}

/** The other side: notifies the parent that this program is ready, and responds to it until it disconnects. */
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
