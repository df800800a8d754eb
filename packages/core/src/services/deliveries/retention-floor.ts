import { RETENTION_MS } from '../../domain/delivery/delivery-limits.ts';
import type { Clock } from '../../ports/clock.ts';

/** What was made before this no longer exists for readers, deleted yet or not. */
export function retentionFloor(clock: Clock): number {
  return clock.now() - RETENTION_MS;
}
