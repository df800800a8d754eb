import type { ApiKey } from '../../domain/api-key/api-key.ts';
import type { ApiKeyHolder, ApiKeyStore } from '../../ports/storage/api-key-store.ts';
import { byId } from './order.ts';
import { insertRow } from './state.ts';
import type { State } from './state.ts';

export class MemoryApiKeyStore implements ApiKeyStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async insert(apiKey: ApiKey): Promise<void> {
    if (this.#state.apiKeyIdsByHash.has(apiKey.hash)) throw new Error('Two API keys have one hash.');
    insertRow(this.#state.apiKeys, apiKey.id, structuredClone(apiKey));
    this.#state.apiKeyIdsByHash.set(apiKey.hash, apiKey.id);
  }

  async findByHash(hash: string): Promise<ApiKeyHolder | null> {
    const apiKey = this.#state.apiKeys.get(this.#state.apiKeyIdsByHash.get(hash) ?? '');
    const workspace = apiKey && this.#state.workspaces.get(apiKey.workspaceId);
    if (!apiKey || !workspace) return null;
    const member = this.#state.members.get(apiKey.memberId ?? '') ?? null;
    return structuredClone({ apiKey, workspace, member });
  }

  async list(workspaceId: string): Promise<readonly ApiKey[]> {
    const rows = [...this.#state.apiKeys.values()].filter((apiKey) => apiKey.workspaceId === workspaceId);
    return structuredClone(rows.toSorted((a, b) => byId(b, a)));
  }

  async revoke(workspaceId: string, id: string, now: number): Promise<ApiKey | null> {
    const stored = this.#state.apiKeys.get(id);
    if (stored?.workspaceId !== workspaceId) return null;
    const apiKey = { ...stored, revokedAt: stored.revokedAt ?? now };
    this.#state.apiKeys.set(id, apiKey);
    this.#state.signal({ topic: 'workspace', workspaceId });
    return structuredClone(apiKey);
  }

  async touch(id: string, now: number): Promise<void> {
    const stored = this.#state.apiKeys.get(id);
    if (!stored) return;
    this.#state.apiKeys.set(id, { ...stored, lastUsedAt: Math.max(stored.lastUsedAt ?? now, now) });
  }
}
