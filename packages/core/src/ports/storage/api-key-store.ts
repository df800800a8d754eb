import type { ApiKey } from '../../domain/api-key/api-key.ts';
import type { Member, Workspace } from '../../domain/workspace/workspace.ts';

/** A key with its workspace and member, which decide whether a request may pass. */
export interface ApiKeyHolder {
  readonly apiKey: ApiKey;
  readonly workspace: Workspace;
  readonly member: Member | null;
}

export interface ApiKeyStore {
  insert(apiKey: ApiKey): Promise<void>;
  /** Finds a key by the SHA-256 of its value. Revoked and expired keys are found too: the caller decides. */
  findByHash(hash: string): Promise<ApiKeyHolder | null>;
  /** Newest first. */
  list(workspaceId: string): Promise<readonly ApiKey[]>;
  /** Sets `revokedAt` unless it is already set. Returns the key as it is now; null if there is no such key. */
  revoke(workspaceId: string, id: string, now: number): Promise<ApiKey | null>;
  /** Sets `lastUsedAt`, never backwards. */
  touch(id: string, now: number): Promise<void>;
}
