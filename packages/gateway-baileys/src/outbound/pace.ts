import type { Clock, Random } from '@trunkline/core/spi/gateway';

/** How fast an instance sends. WhatsApp bans numbers that write in bursts, which people do not do. */
export interface PaceOptions {
  /** From 3 to 600. Messages are spaced accordingly, but each interval varies randomly by up to 50%. */
  readonly messagesPerMinute: number;
}

/** At this pace, a message waits at most 30 s after the previous one, half of core's time limit for a send. */
const SLOWEST = 3;
const FASTEST = 600;

export function checkPace({ messagesPerMinute }: PaceOptions): void {
  if (!(messagesPerMinute >= SLOWEST && messagesPerMinute <= FASTEST)) {
    throw new TypeError(
      `baileysGateway: the option "pace.messagesPerMinute" is wrong: it must be ${SLOWEST} to ${FASTEST}.`,
    );
  }
}

export interface Pace {
  /**
   * Returns how many milliseconds the next message has to wait, and counts it as sent after that wait. Without options,
   * messages need not wait.
   */
  next(options: PaceOptions | null): number;
}

export function createPace({ clock, random }: { readonly clock: Clock; readonly random: Random }): Pace {
  let freeAt = 0;
  return {
    next(options) {
      if (!options) return 0;
      const now = clock.elapsed();
      const at = Math.max(now, freeAt);
      const jitter = 0.5 + (random.bytes(1)[0] ?? 0) / 256;
      freeAt = at + (60_000 / options.messagesPerMinute) * jitter;
      return Math.round(at - now);
    },
  };
}
