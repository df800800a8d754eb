import type { CallResult, StreamResult } from '@trunkline/http/client';
import type { Timers } from './throttle.ts';

/** How the page learns of changes. */
export type LiveState =
  /** The first connection is being made. */
  | 'connecting'
  /** Hints arrive as changes happen. */
  | 'live'
  /** No stream is open, for example because of a proxy or too many streams: the pages poll. */
  | 'polling'
  /** The service cannot be reached. */
  | 'offline'
  /** The page has been hidden for a while. */
  | 'paused';

export interface StreamedEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export interface HintStreamOptions {
  /** Opens `GET events/stream`. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<CallResult<StreamResult>>;
  /** Called when an event has happened. `body` is its JSON. */
  onHint(event: StreamedEvent): void;
  /** Called when the stream opens for the first time or after a long break: the page may have missed changes. */
  onGap(): void;
  onState(state: LiveState): void;
  /** Called when the stream is refused because the session has ended. */
  onSignedOut(): void;
  readonly timers: Timers;
  /** From 0 to 1; spreads the attempts of many pages over time. */
  random(): number;
}

/** After a longer break, the stream does not resume, and the shown data is read again. */
const CATCH_UP_MS = 30_000;
/** A silent stream is closed after this long. The server sends a heartbeat every 15 s. */
const SILENCE_MAX_MS = 35_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** How many event ids are remembered, because a resumed stream repeats up to a minute of events. */
const SEEN_MAX = 1_000;

/**
 * Keeps a stream of events open. Each event is a hint that data has changed. A broken stream is reopened, at first
 * within 1 s, later within a minute. `start` and `stop` may be called in any order.
 */
export function createHintStream(options: HintStreamOptions): {
  start(): void;
  stop(state: LiveState): void;
} {
  const { open, onHint, onGap, onState, onSignedOut, timers, random } = options;
  let current: AbortController | null = null;
  let cancelRetry: (() => void) | null = null;
  let lastId: string | undefined;
  let lostAt = -Infinity;
  let failures = 0;
  const seen = new Set<string>();

  const run = async (abort: AbortController): Promise<void> => {
    const isCaughtUp = lastId !== undefined && timers.now() - lostAt < CATCH_UP_MS;
    if (!isCaughtUp) lastId = undefined;
    let isRefused = false;
    let cancelSilence = timers.after(SILENCE_MAX_MS, () => abort.abort());
    try {
      const result = await open(lastId, abort.signal);
      if (abort !== current) return;
      if (!result.ok) {
        isRefused = true;
        if (result.error.status === 401) onSignedOut();
        return onState(result.error.status === null ? 'offline' : 'polling');
      }
      onState('live');
      // The data on the screen was read before the stream opened, so it may be out of date.
      if (!isCaughtUp) onGap();
      for await (const { id, event } of result.data) {
        if (abort !== current) return;
        failures = 0;
        lastId = id;
        cancelSilence();
        cancelSilence = timers.after(SILENCE_MAX_MS, () => abort.abort());
        if (event && isNew(seen, id)) onHint({ id, ...event });
      }
    } catch {
      // The connection failed; `finally` opens the next connection.
    } finally {
      cancelSilence();
      if (abort === current) retry(isRefused);
    }
  };

  const retry = (isRefused: boolean): void => {
    lostAt = timers.now();
    current = null;
    const longest = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    failures++;
    // The first two failures in a row are usually a restart of the service, or a proxy that cuts long connections.
    if (failures > 2 && !isRefused) onState('polling');
    cancelRetry = timers.after(longest * (0.5 + random() / 2), begin);
  };

  const begin = (): void => {
    cancelRetry = null;
    current = new AbortController();
    void run(current);
  };

  return {
    start() {
      if (current || cancelRetry) return;
      failures = 0;
      begin();
    },
    stop(state) {
      cancelRetry?.();
      cancelRetry = null;
      if (current) lostAt = timers.now();
      const abort = current;
      current = null;
      abort?.abort();
      onState(state);
    },
  };
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > SEEN_MAX) {
    const [oldest] = seen;
    if (oldest !== undefined) seen.delete(oldest);
  }
  return true;
}
