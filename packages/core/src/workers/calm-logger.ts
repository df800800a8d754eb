import type { Clock } from '../ports/clock.ts';
import type { LogFunction, Logger } from '../ports/logger.ts';

/** The same warning or error is logged at most this often. */
const EVERY_MS = 5_000;
/** More different lines than this within that time are not told apart any more: memory stays bounded. */
const MOST_LINES = 1_000;

/**
 * A logger that a fault cannot flood: a warning or an error with the same message about the same thing is logged once in
 * 5 seconds, with the number of those that were left out as `repeated`.
 */
export function calmLogger(logger: Logger, clock: Pick<Clock, 'elapsed'>): Logger {
  const lines = new Map<string, { loggedAt: number; leftOut: number }>();

  const calm =
    (level: 'warn' | 'error'): LogFunction =>
    (facts, message) => {
      const now = clock.elapsed();
      const key = JSON.stringify([
        level,
        message,
        ...Object.values(facts).filter((fact) => typeof fact === 'string'),
      ]);
      const line = lines.get(key);
      if (line && now - line.loggedAt < EVERY_MS) {
        line.leftOut += 1;
        return;
      }
      if (lines.size >= MOST_LINES) lines.clear();
      lines.set(key, { loggedAt: now, leftOut: 0 });
      logger[level](line && line.leftOut > 0 ? { ...facts, repeated: line.leftOut } : facts, message);
    };

  return {
    debug: (facts, message) => logger.debug(facts, message),
    info: (facts, message) => logger.info(facts, message),
    warn: calm('warn'),
    error: calm('error'),
  };
}
