import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, Signal } from '@trunkline/core/spi/storage';
import { listenTo } from './listener.ts';
import { withClient } from './pool.ts';
import type { PostgresPool } from './pool.ts';

/**
 * Notifies other processes of work, and receives their notifications. Work whose signal is lost is found by polling.
 */
export interface RemoteSignals {
  send(signals: readonly Signal[]): void;
  /**
   * Stops listening. Resolves once every signal that was passed to `send` has been sent, or could not be sent, so that
   * the pool can be ended.
   */
  close(): Promise<void>;
}

export interface RemoteSignalsOptions {
  readonly pool: PostgresPool;
  readonly schema: string;
  readonly logger: Logger;
  hear(signal: Signal): void;
}

/** The time between two statements. Each statement sends all signals that arrived in between. */
const DEBOUNCE_MS = 10;
/** The maximum length of a payload in bytes: PostgreSQL refuses 8,000, and would then lose every signal of the statement. */
const PAYLOAD_MAX = 7_999;
const TIMEOUT_MS = 10_000;

/** Resolves once the listener listens, or its first attempt has failed. */
export async function openRemoteSignals(options: RemoteSignalsOptions): Promise<RemoteSignals> {
  const { pool, logger, schema } = options;
  const channel = channelOf(schema);
  const origin = randomUUID();
  const listener = await listenTo({ pool, logger, channel }, (payload) => {
    const message = readMessage(payload);
    if (message && message.from !== origin) for (const signal of message.signals) options.hear(signal);
  });

  let waiting = new Map<string, Signal>();
  let sending: Promise<void> | null = null;
  const sendWaiting = async (): Promise<void> => {
    while (waiting.size > 0) {
      const signals = [...waiting.values()];
      waiting = new Map();
      await notify(pool, logger, notification(channel, origin, signals)).catch((error: unknown) => {
        logger.debug(
          { err: error },
          'other processes could not be notified of work: they find it when they poll',
        );
      });
      await pause(DEBOUNCE_MS);
    }
    sending = null;
  };

  return {
    send(signals) {
      for (const signal of signals) waiting.set(JSON.stringify(signal), signal);
      if (waiting.size > 0) sending ??= sendWaiting();
    },
    async close() {
      await listener.close();
      await sending;
    },
  };
}

/** The channel of a schema, hashed because PostgreSQL limits names to 63 bytes. */
export function channelOf(schema: string): string {
  return `trunkline_${createHash('sha256').update(schema).digest('hex').slice(0, 32)}`;
}

/** The values of `NOTIFY` that notify all listeners except `origin`. */
export function notification(channel: string, origin: string, signals: readonly Signal[]): Notification {
  const message = (part: readonly Signal[]): string =>
    JSON.stringify({ from: origin, signals: part } satisfies Message);
  const payloads: string[] = [];
  const frameBytes = Buffer.byteLength(message([]));
  let part: Signal[] = [];
  let bytes = frameBytes;
  for (const signal of signals) {
    const added = Buffer.byteLength(JSON.stringify(signal)) + ','.length;
    if (bytes + added > PAYLOAD_MAX && part.length > 0) {
      payloads.push(message(part));
      part = [];
      bytes = frameBytes;
    }
    part.push(signal);
    bytes += added;
  }
  if (part.length > 0) payloads.push(message(part));
  return { channel, payloads };
}

export interface Notification {
  readonly channel: string;
  readonly payloads: readonly string[];
}

export const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS message (payload)';

async function notify(
  pool: PostgresPool,
  logger: Logger,
  { channel, payloads }: Notification,
): Promise<void> {
  await withClient(pool, logger, (client) =>
    client.query({ text: NOTIFY, values: [channel, payloads], query_timeout: TIMEOUT_MS }),
  );
}

interface Message {
  /** The storage that sent the message. */
  readonly from: string;
  readonly signals: readonly Signal[];
}

/** Returns null for any other payload, because anyone with access to the database may send anything. */
function readMessage(payload: string): Message | null {
  try {
    const message: unknown = JSON.parse(payload);
    if (typeof message !== 'object' || message === null) return null;
    if (!('from' in message) || typeof message.from !== 'string') return null;
    if (!('signals' in message) || !Array.isArray(message.signals)) return null;
    return { from: message.from, signals: message.signals.filter(isSignal) };
  } catch {
    return null;
  }
}

function isSimple(topic: unknown): boolean {
  return topic === 'schedule' || topic === 'deliveries' || topic === 'subscriptions';
}

function isSignal(value: unknown): value is Signal {
  if (typeof value !== 'object' || value === null || !('topic' in value)) return false;
  if (isSimple(value.topic)) return true;
  if (value.topic === 'workspace') return 'workspaceId' in value && typeof value.workspaceId === 'string';
  const isOfInstance = ['instance', 'queue', 'call'].some((topic) => topic === value.topic);
  if (!isOfInstance || !('instanceId' in value) || typeof value.instanceId !== 'string') return false;
  return !('byHolder' in value) || value.byHolder === true;
}
