import { pause } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import type { WASocket } from '@whiskeysockets/baileys';

/** How long a socket may take to show a QR or open before it is ended, because Baileys never reports some refusals. */
const CONNECT_MS = 30_000;
/** How long closing may take, because a dead peer does not respond. */
const GOODBYE_MS = 2_000;

/** The life of a socket from its creation to its end. */
export interface SocketLife {
  /** Resolves with the error that ended the socket; undefined if there was none. */
  readonly ended: Promise<unknown>;
  /** Ends the socket unless it makes progress in time. */
  expectProgress(): void;
  /** Stops the watch that `expectProgress` started. */
  progressed(): void;
  /** Reports everything that the socket has decrypted but not reported yet, and ends the socket. */
  end(error?: unknown): void;
}

export function socketLife(socket: WASocket, clock: Clock): SocketLife {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  let cancelWatch = (): void => {};
  let isOver = false;

  const over = (error: unknown): void => {
    isOver = true;
    cancelWatch();
    resolve(error);
  };
  const end = (error?: unknown): void => {
    if (isOver) return;
    socket.ev.flush();
    over(error);
    // This promise may wait for a WebSocket that never opened.
    void socket.end(undefined).catch(() => undefined);
  };
  const expectProgress = (): void => {
    cancelWatch();
    cancelWatch = clock.setTimer(CONNECT_MS, () => end(new Error('The connection did not open in time.')));
  };

  const close = socket.ws.close.bind(socket.ws);
  socket.ws.close = () => Promise.race([close(), pause(clock, GOODBYE_MS)]);
  // Baileys discards its buffer at the end, although the network has our acknowledgement of the content.
  socket.registerSocketEndHandler(() => void socket.ev.flush());
  socket.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'close' && !isOver) over(lastDisconnect?.error);
  });
  // Baileys itself does not end the socket if the server refuses the upgrade.
  socket.ws.on('unexpected-response', () => end(new Error('The server did not take the connection.')));
  expectProgress();

  return { ended, expectProgress, progressed: () => cancelWatch(), end };
}

/** Waits that end with a connection, so that their timers do not outlive it. */
export interface Pauses {
  /** Resolves after `ms` milliseconds, or at the end of the connection. */
  pause(ms: number): Promise<void>;
  isOver(): boolean;
}

export function createPauses(clock: Clock, ended: Promise<unknown>): Pauses {
  const waits = new Set<() => void>();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
    for (const end of waits) end();
  });
  return {
    isOver: () => isOver,
    pause: (ms) =>
      new Promise((resolve) => {
        if (isOver) return resolve();
        const end = (): void => {
          cancel();
          waits.delete(end);
          resolve();
        };
        const cancel = clock.setTimer(ms, end);
        waits.add(end);
      }),
  };
}
