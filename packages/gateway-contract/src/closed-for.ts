import { expect } from 'vitest';
import type { ClosedReason } from '@trunkline/core/spi/gateway';

/**
 * The reaction expected from the service, without the network's own code: a network need not have one, but it is never
 * empty.
 */
export function closedFor({ networkCode, ...reason }: ClosedReason): Omit<ClosedReason, 'networkCode'> {
  if (networkCode !== undefined) expect(networkCode).toMatch(/\S/);
  return reason;
}
