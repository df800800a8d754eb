import { hash } from 'node:crypto';

/**
 * The hash by which a key is indexed: 48 bits, which a JavaScript number holds exactly. Hashes are stored, so this
 * function must never change.
 */
export function idempotencyHash(workspaceId: string, key: string): number {
  return Number.parseInt(hash('sha256', `${workspaceId} ${key}`).slice(0, 12), 16);
}
