import { reconnectDelay } from '../domain/backoff.ts';
import type { ServiceContext } from '../services/context.ts';

/** A restart that the network asks for within this time of the last one is a repeat. Longer than the longest wait before one. */
const RESTARTED_AGAIN_MS = 5 * 60_000;

/** When a connection is tried again. */
interface ReconnectSchedule {
  retryAt(): number;
  hasFailed(): boolean;
  /** A try failed; the next one waits at least `leastMs`. */
  failed(leastMs?: number): void;
  /** The network asked for a restart. */
  restarted(): void;
  /** A connection opened. */
  reset(): void;
  retryNow(): void;
}

export function createReconnectSchedule({
  clock,
  random,
}: Pick<ServiceContext, 'clock' | 'random'>): ReconnectSchedule {
  let retryAt = 0;
  /** In a row. */
  let failures = 0;
  let restarts = 0;
  let restartedAt = -Infinity;
  const jitter = (): number => (random.bytes(1)[0] ?? 0) / 256;

  return {
    retryAt: () => retryAt,
    hasFailed: () => failures > 0,
    failed(leastMs = 0) {
      retryAt = clock.now() + Math.max(leastMs, reconnectDelay(failures, jitter()));
      failures += 1;
    },
    /** The first is immediate, as after pairing; a network that asks again and again is asked less and less. */
    restarted() {
      const now = clock.now();
      restarts = now < restartedAt + RESTARTED_AGAIN_MS ? restarts + 1 : 0;
      restartedAt = now;
      retryAt = restarts === 0 ? 0 : now + reconnectDelay(restarts - 1, jitter());
    },
    reset() {
      failures = 0;
    },
    retryNow() {
      retryAt = 0;
    },
  };
}
