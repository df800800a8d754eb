import { hash } from 'node:crypto';

/** What a key is indexed by: 48 bits, so that it is an exact number. It is stored, so it stays as it is. */
export function idempotencyHash(workspaceId: string, key: string): number {
  return Number.parseInt(hash('sha256', `${workspaceId} ${key}`).slice(0, 12), 16);
}
