import { loginSpacing, reconnectDelay } from '../domain/backoff.ts';
import type { ServiceContext } from '../services/context.ts';

/** A connection open for this long was stable: earlier failures no longer count. */
const STABLE_MS = 5 * 60_000;
/**
 * How long after a restart another restart counts as a repeat; longer than the longest wait before a restart.
 */
const RESTARTED_AGAIN_MS = 10 * 60_000;

interface ReconnectSchedule {
  retryAt(): number;
  hasFailed(): boolean;
  /** An attempt failed, or a connection ended; the next attempt waits at least `leastMs`. */
  failed(leastMs?: number): void;
  restarted(): void;
  opened(): void;
  retryNow(): void;
}

export function createReconnectSchedule({
  clock,
  random,
}: Pick<ServiceContext, 'clock' | 'random'>): ReconnectSchedule {
  let retryAt = 0;
  /** Failures since the last opening. */
  let failures = 0;
  /** When the connection opened, by `clock.elapsed()`; null unless one is open. */
  let openedAt: number | null = null;
  /** Connections that have ended since the last stable one, which is included. */
  let unstable = 0;
  let restarts = 0;
  let restartedAt = -Infinity;
  const jitter = (): number => (random.bytes(1)[0] ?? 0) / 256;

  /**
   * Notes the end of an open connection. Returns how long the next login has to wait, because the network counts
   * logins.
   */
  const untilNextLogin = (): number => {
    if (openedAt === null) return 0;
    const openMs = clock.elapsed() - openedAt;
    openedAt = null;
    if (openMs >= STABLE_MS) unstable = 0;
    unstable += 1;
    return loginSpacing(unstable, jitter()) - openMs;
  };

  return {
    retryAt: () => retryAt,
    hasFailed: () => failures > 0,
    failed(leastMs = 0) {
      retryAt = clock.now() + Math.max(leastMs, untilNextLogin(), reconnectDelay(failures, jitter()));
      failures += 1;
    },
    /** The first restart is immediate, as after pairing; each repeat waits longer. */
    restarted() {
      const now = clock.now();
      const waitMs = untilNextLogin();
      restarts = now < restartedAt + RESTARTED_AGAIN_MS ? restarts + 1 : 0;
      restartedAt = now;
      retryAt = restarts === 0 ? 0 : now + Math.max(waitMs, reconnectDelay(restarts - 1, jitter()));
    },
    opened() {
      failures = 0;
      openedAt = clock.elapsed();
    },
    retryNow() {
      retryAt = 0;
    },
  };
}
