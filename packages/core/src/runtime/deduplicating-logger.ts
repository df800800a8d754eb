import type { Clock } from '../ports/clock.ts';
import type { LogFunction, Logger } from '../ports/logger.ts';
import { unfailing } from './unfailing.ts';

/**
 * Within this time, a message about the same thing, such as an instance, is logged once and then counted, so that a
 * fault that lasts an hour logs about 60 lines.
 */
const EVERY_MS = 60_000;
/** Within that time, a message is logged about at most this many things, because a fault may affect thousands. */
const MOST_THINGS = 20;
/** Facts that do not distinguish lines, because one fault hits thousands of these items. */
const ITEMS: readonly string[] = ['contentId', 'deliveryId', 'eventId', 'messageId', 'notificationId'];
/** How many messages are watched at the same time, so that memory stays bounded. */
const MOST_MESSAGES = 1_000;

type Level = 'warn' | 'error';

interface Recent {
  readonly level: Level;
  readonly message: string;
  readonly since: number;
  readonly things: Map<string, { facts: Parameters<LogFunction>[0]; leftOut: number }>;
  /** The number of lines about further things. */
  others: number;
  /** Null until a line is left out. */
  cancelReport: (() => void) | null;
}

export interface DeduplicatingLogger extends Logger {
  /** Logs how many lines were left out so far, before the process ends. */
  flush(): void;
}

/**
 * A logger that a fault cannot flood. In a minute, a warning or an error with the same message is logged once
 * per thing, such as an instance, and for at most 20 things. After the minute, each repeated line is logged
 * once more with the count as `repeated`, and one more line with the count of lines about other things as
 * `leftOut`. `noted` is called for every warning and error, left out or not. If the logger throws, its line
 * is lost, and nothing else happens.
 */
export function deduplicatingLogger(
  given: Logger,
  clock: Pick<Clock, 'elapsed' | 'setTimer'>,
  noted: (level: Level) => void = () => undefined,
): DeduplicatingLogger {
  const logger = unfailing<Logger>({
    debug: (facts, message) => given.debug(facts, message),
    info: (facts, message) => given.info(facts, message),
    warn: (facts, message) => given.warn(facts, message),
    error: (facts, message) => given.error(facts, message),
  });
  const messages = new Map<string, Recent>();

  const recentOf = (level: Level, message: string): Recent => {
    const key = `${level} ${message}`;
    const known = messages.get(key);
    const now = clock.elapsed();
    if (known && (known.cancelReport || now - known.since < EVERY_MS)) return known;
    if (messages.size >= MOST_MESSAGES) flush();
    const recent: Recent = { level, message, since: now, things: new Map(), others: 0, cancelReport: null };
    messages.set(key, recent);
    return recent;
  };

  const report = (recent: Recent): void => {
    const { level, message, things, others } = recent;
    const repeated = [...things].filter(([, { leftOut }]) => leftOut > 0);
    // The next line about a thing that was just reported is only counted.
    messages.set(`${level} ${message}`, {
      ...recent,
      since: clock.elapsed(),
      things: new Map(repeated.map(([thing, { facts }]) => [thing, { facts, leftOut: 0 }])),
      others: 0,
      cancelReport: null,
    });
    for (const [, { facts, leftOut }] of repeated) logger[level]({ ...facts, repeated: leftOut }, message);
    if (others > 0) logger[level]({ leftOut: others }, message);
  };

  const flush = (): void => {
    const all = [...messages.values()];
    for (const recent of all) {
      recent.cancelReport?.();
      if (recent.cancelReport) report(recent);
    }
    messages.clear();
  };

  const calm =
    (level: Level): LogFunction =>
    (facts, message) => {
      noted(level);
      const recent = recentOf(level, message);
      const thing = JSON.stringify(
        Object.entries(facts).filter(([name, fact]) => typeof fact === 'string' && !ITEMS.includes(name)),
      );
      const known = recent.things.get(thing);
      if (!known && recent.things.size < MOST_THINGS) {
        recent.things.set(thing, { facts, leftOut: 0 });
        logger[level](facts, message);
        return;
      }
      if (known) {
        known.facts = facts;
        known.leftOut += 1;
      } else {
        recent.others += 1;
      }
      // A line that is not repeated needs no timer.
      recent.cancelReport ??= clock.setTimer(recent.since + EVERY_MS - clock.elapsed(), () => report(recent));
    };

  return {
    debug: logger.debug,
    info: logger.info,
    warn: calm('warn'),
    error: calm('error'),
    flush,
  };
}
