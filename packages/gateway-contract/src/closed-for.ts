import { expect } from 'vitest';
import type { ClosedReason } from '@trunkline/core/spi/gateway';

/**
 * The reason of a closed connection without the network's own code. A network need not have a code, but a code must not
 * be empty.
 */
export function closedFor({ networkCode, ...reason }: ClosedReason): Omit<ClosedReason, 'networkCode'> {
  if (networkCode !== undefined) expect(networkCode).toMatch(/\S/);
  return reason;
}
