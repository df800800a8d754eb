import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ClusterFiles } from './cluster-files.ts';

/** Resources that the processes of a run share, by the names that `askDesk` takes. */
export interface Shared {
  readonly template: ClusterFiles;
  /** The URL of the Postgres for all test files. */
  readonly server: string;
}

export interface Desk {
  readonly port: number;
  close(): void;
}

/** The environment variable in which the processes of a run find the port of its desk. */
export const DESK_PORT = 'TEST_POSTGRES_DESK';

/** Serves the shared resources. Each is made once, when a process first asks for it; a failure is shared, too. */
export async function openDesk(makers: {
  readonly [Name in keyof Shared]: () => Promise<Shared[Name]>;
}): Promise<Desk> {
  const made = new Map<string, Promise<unknown>>();
  const respond = async (socket: Socket): Promise<void> => {
    const name = (await text(socket)) as keyof Shared; // safe: askDesk sends nothing else
    const thing = made.get(name) ?? makers[name]();
    made.set(name, thing);
    const reply = await thing.then(
      (value) => ({ value }),
      ({ message }: Error) => ({ problem: message }),
    );
    socket.end(JSON.stringify(reply));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // The socket fails if the process that asked was killed.
    socket.on('error', () => undefined);
    respond(socket).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return { port: address.port, close: () => void server.close() };
}

/** Asks the desk of the run. Returns undefined in a process that belongs to no run. */
export async function askDesk<Name extends keyof Shared>(name: Name): Promise<Shared[Name] | undefined> {
  const port = process.env[DESK_PORT];
  if (port === undefined) return undefined;
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(name);
  // The cast is safe: openDesk writes this form.
  const { value, problem } = JSON.parse(await text(socket)) as { value?: Shared[Name]; problem?: string };
  if (value === undefined) throw new Error(problem);
  return value;
}
