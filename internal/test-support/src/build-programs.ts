import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { buildProgram } from './build-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port at which the processes of the run ask for built programs. */
    programsPort: number;
  }
}

/**
 * Builds the programs that tests start often, each when the first test asks for it, because a bundle starts in less
 * than half the time of its sources. Every run builds its own bundles, and so does every further run of
 * `vitest watch`, so that no bundle is older than its sources.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const built = new Map<string, Promise<string>>();
  project.onTestsRerun(() => built.clear());

  const respond = async (socket: Socket): Promise<void> => {
    const program = await text(socket);
    const path = built.get(program) ?? buildProgram(program);
    built.set(program, path);
    const reply = await path.then(
      (value) => ({ path: value }),
      ({ message }: Error) => ({ problem: message }),
    );
    socket.end(JSON.stringify(reply));
  };
  const desk = createServer({ allowHalfOpen: true }, (socket) => void respond(socket));
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  project.provide('programsPort', address.port);
  return () => void desk.close();
}
