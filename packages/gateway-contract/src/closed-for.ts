import { expect } from 'vitest';
import type { ClosedReason } from '@trunkline/core/spi/gateway';

/** The reason for the end of a connection, without the network's own code, which may be missing, but not empty. */
export function closedFor({ networkCode, ...reason }: ClosedReason): Omit<ClosedReason, 'networkCode'> {
  if (networkCode !== undefined) expect(networkCode).toMatch(/\S/);
  return reason;
}
