import QuickLRU from 'quick-lru';
import { bearerToken, invalidApiKey, isUsable } from '../domain/api-key/authorization.ts';
import { isApiKeyToken } from '../domain/api-key/api-key-token.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import type { ApiKeyHolder } from '../ports/storage/api-key-store.ts';
import type { ServiceContext } from './context.ts';
import { keepLookUps } from './kept-look-ups.ts';

/**
 * How long a lookup may be reused. If the signal of a revocation in another process is lost, the revocation
 * takes up to this long to take effect.
 */
const KEPT_MS = 5_000;
/** The maximum number of keys that this process remembers. */
const KEPT_MAX = 10_000;
const TOUCH_EVERY_MS = 60_000;

export interface Authenticator {
  /** `fresh` looks the key up even if it is remembered. */
  authenticate(authorization: string | null, options?: { fresh?: boolean }): Promise<Result<ApiKeyHolder>>;
  /** Forgets all lookups, after a change that must take effect immediately. */
  forget(): void;
}

export function createAuthenticator(
  context: Pick<ServiceContext, 'storage' | 'crypto' | 'clock' | 'logger'>,
): Authenticator {
  const { storage, crypto, clock, logger } = context;
  const holders = keepLookUps<ApiKeyHolder | null>({
    lookUp: (hash) => storage.apiKeys.findByHash(hash),
    isWorthKeeping: (holder) => holder !== null,
    maxAgeMs: KEPT_MS,
    max: KEPT_MAX,
  });
  storage.subscribe((signal) => {
    if (signal.topic !== 'workspace') return;
    holders.forgetWhere((holder) => holder?.workspace.id === signal.workspaceId);
  });
  const touchedAt = new QuickLRU<string, number>({ maxSize: KEPT_MAX });

  /**
   * Notes, at most once a minute, that the key is in use. Requests do not wait for this write, and do not fail if it
   * fails.
   */
  const touch = (id: string, now: number): void => {
    if (now - (touchedAt.get(id) ?? -Infinity) < TOUCH_EVERY_MS) return;
    touchedAt.set(id, now);
    storage.apiKeys.touch(id, now).catch((error: unknown) => {
      logger.warn(
        { err: error, apiKeyId: id },
        'the time at which an API key was used could not be stored, so its lastUsedAt stays behind: requests are still served; check the database',
      );
    });
  };

  return {
    async authenticate(authorization, { fresh = false } = {}) {
      const token = bearerToken(authorization);
      if (!token.ok) return token;
      if (!isApiKeyToken(token.value)) return invalidApiKey();
      const now = clock.now();
      const holder = await holders.find(crypto.sha256(token.value), now, { fresh });
      if (!holder || !isUsable(holder.apiKey, now)) return invalidApiKey();
      touch(holder.apiKey.id, now);
      return ok(holder);
    },
    forget() {
      holders.forgetWhere(() => true);
    },
  };
}
