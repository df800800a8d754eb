import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@trunkline/core/spi/storage';
import type { PostgresPool } from './pool.ts';
import { quoted } from './statements.ts';

export interface ListenerOptions {
  readonly pool: PostgresPool;
  readonly logger: Logger;
  readonly channel: string;
}

/** How long to wait before the next attempt after a connection was lost or failed. */
const RETRY_MS = 1_000;
/** How often to check that the connection is alive, because a dead connection may not report its end. */
const HEARTBEAT_MS = 15_000;
const TIMEOUT_MS = 10_000;

/**
 * Listens to a channel on a connection of the pool until closed. Opens another connection if that one is lost. Resolves
 * once it listens, or once its first attempt has failed.
 */
export async function listenTo(
  options: ListenerOptions,
  hear: (payload: string) => void,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  let ended = Promise.resolve();
  await new Promise<void>((resolve) => {
    ended = keepListening({ ...options, closing: closing.signal }, hear, resolve);
  });
  return {
    close() {
      closing.abort();
      return ended;
    },
  };
}

interface Listening extends ListenerOptions {
  readonly closing: AbortSignal;
}

async function keepListening(
  listening: Listening,
  hear: (payload: string) => void,
  onTried: () => void,
): Promise<void> {
  const { closing, logger } = listening;
  let isLost = false;
  const onListening = (): void => {
    isLost = false;
    onTried();
  };
  while (!closing.aborted) {
    try {
      await listenOnce(listening, hear, onListening);
    } catch (error) {
      if (closing.aborted) return;
      logger[isLost ? 'debug' : 'warn'](
        { err: error },
        'the connection that gets signals of other processes was lost: it is opened again, and until then work is found by polling, seconds later; if this repeats, check the server and the network',
      );
      isLost = true;
      onTried();
      await pause(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

/** Rejects when the connection is lost, and when listening is closed. */
async function listenOnce(
  { pool, channel, closing }: Listening,
  hear: (payload: string) => void,
  onListening: () => void,
): Promise<void> {
  const client = await pool.connect();
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject);
  });
  lost.catch(() => undefined); // awaited below, but may reject before
  client.on('notification', (message) => {
    if (message.channel === channel) hear(message.payload ?? '');
  });
  try {
    // The role may limit how long its sessions can be idle.
    await client.query({ text: 'SET idle_session_timeout = 0', query_timeout: TIMEOUT_MS });
    await client.query({ text: `LISTEN ${quoted(channel)}`, query_timeout: TIMEOUT_MS });
    onListening();
    for (;;) {
      await Promise.race([lost, pause(HEARTBEAT_MS, undefined, { signal: closing })]);
      await client.query({ text: 'SELECT 1', query_timeout: TIMEOUT_MS });
    }
  } finally {
    // Closes the connection, which would otherwise continue to listen.
    client.release(true);
  }
}
