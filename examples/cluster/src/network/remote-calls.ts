import { deserialize, serialize } from 'node:v8';
import { createBirpc } from 'birpc';
import type { BirpcReturn } from 'birpc';
import type { WebSocket } from 'ws';
import type { Clock } from '@trunkline/core/spi/gateway';

export type RemoteCalls<Remote extends object, Local extends object> = BirpcReturn<Remote, Local>;

/** Serves `local` to the other side. After the socket closes, all calls reject, including those in flight. */
export function remoteCalls<Remote extends object, Local extends object>(
  socket: WebSocket,
  local: Local,
): RemoteCalls<Remote, Local> {
  const calls = createBirpc<Remote, Local>(local, {
    bind: 'functions',
    // Unlike JSON, this keeps maps, bytes and errors.
    serialize,
    deserialize,
    post: (bytes: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        socket.send(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    on(receive) {
      socket.on('message', (bytes) => {
        // After an unsendable response or a malformed frame, closing the socket informs the other side.
        (async () => receive(bytes))().catch(() => socket.terminate());
      });
    },
  });
  socket.on('close', () =>
    calls.$close(new Error('The connection between a gateway and the sandbox network closed.')),
  );
  return calls;
}

const PING_EVERY_MS = 10_000;

/** Closes a socket whose other side is silent, because its process hangs or its machine is gone. */
export function watchForSilence(socket: WebSocket, clock: Clock): void {
  let responded = true;
  let cancel = (): void => {};
  const beat = (): void => {
    if (!responded) return socket.terminate();
    responded = false;
    socket.ping();
    cancel = clock.setTimer(PING_EVERY_MS, beat);
  };
  socket.on('pong', () => (responded = true));
  socket.on('close', () => cancel());
  beat();
}
