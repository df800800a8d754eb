import { hash } from 'node:crypto';

/** The number that a key is indexed by: 48 bits, so that it is exact. It is stored, so it must never change. */
export function idempotencyHash(workspaceId: string, key: string): number {
  return Number.parseInt(hash('sha256', `${workspaceId} ${key}`).slice(0, 12), 16);
}
