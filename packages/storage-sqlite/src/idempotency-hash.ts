import { hash } from 'node:crypto';

/**
 * The number by which a key is indexed: 48 bits, which a number holds exactly. It is stored, so it must never change.
 */
export function idempotencyHash(workspaceId: string, key: string): number {
  return Number.parseInt(hash('sha256', `${workspaceId} ${key}`).slice(0, 12), 16);
}
