import type { Clock } from '@trunkline/core/spi/gateway';

/** The clock, until `hurry` makes it faster. */
export function hurryingClock(clock: Clock, speed: number): Clock & { hurry(): void } {
  let from = Infinity;
  const ahead = (): number => Math.max(0, clock.elapsed() - from) * (speed - 1);
  return {
    now: () => clock.now() + ahead(),
    elapsed: () => clock.elapsed() + ahead(),
    setTimer: (delayMs, callback) => clock.setTimer(from === Infinity ? delayMs : delayMs / speed, callback),
    hurry() {
      from = clock.elapsed();
    },
  };
}
