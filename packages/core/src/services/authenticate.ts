import Keyv from 'keyv';
import { bearerToken, invalidApiKey, isUsable } from '../domain/api-key/authorization.ts';
import { isApiKeyToken } from '../domain/api-key/api-key-token.ts';
import { ok } from '../domain/result.ts';
import type { Result } from '../domain/result.ts';
import type { ApiKeyHolder } from '../ports/storage/api-key-store.ts';
import type { ServiceContext } from './context.ts';

/** How long a look-up may be reused: how late a revocation in another process may be noticed. */
const CACHE_MS = 5_000;
const TOUCH_EVERY_MS = 60_000;

/** Finds the holder of an API key. */
export interface Authenticator {
  /** `fresh` looks the key up even where it is remembered. */
  authenticate(authorization: string | null, options?: { fresh?: boolean }): Promise<Result<ApiKeyHolder>>;
  /** Forgets what is remembered, after a change that must act at once. */
  forget(): Promise<void>;
}

interface CachedHolder {
  readonly holder: ApiKeyHolder;
  readonly readAt: number;
}

/** Only keys that exist are remembered, so that made-up ones cannot fill the memory. */
export function createAuthenticator(
  context: Pick<ServiceContext, 'storage' | 'crypto' | 'clock' | 'logger'>,
): Authenticator {
  const { storage, crypto, clock, logger } = context;
  // As they are: to JSON and back took longer than the look-up itself.
  const cache = new Keyv<CachedHolder>({ ttl: CACHE_MS, serialization: false });
  const touchedAt = new Map<string, number>();
  let generation = 0;

  const find = async (hash: string, now: number, fresh: boolean): Promise<ApiKeyHolder | null> => {
    const cached = fresh ? undefined : await cache.get(hash);
    if (cached && now - cached.readAt < CACHE_MS) return cached.holder;
    const generationRead = generation;
    const holder = await storage.apiKeys.findByHash(hash);
    if (holder && generation === generationRead) await cache.set(hash, { holder, readAt: now });
    return holder;
  };

  /** Tells, at most once a minute, that the key is in use; no request waits for it or fails with it. */
  const touch = (id: string, now: number): void => {
    if (now - (touchedAt.get(id) ?? -Infinity) < TOUCH_EVERY_MS) return;
    touchedAt.set(id, now);
    storage.apiKeys.touch(id, now).catch((error: unknown) => {
      logger.warn({ err: error, apiKeyId: id }, 'could not note that an API key was used');
    });
  };

  return {
    async authenticate(authorization, { fresh = false } = {}) {
      const token = bearerToken(authorization);
      if (!token.ok) return token;
      if (!isApiKeyToken(token.value)) return invalidApiKey();
      const now = clock.now();
      const holder = await find(crypto.sha256(token.value), now, fresh);
      if (!holder || !isUsable(holder.apiKey, now)) return invalidApiKey();
      touch(holder.apiKey.id, now);
      return ok(holder);
    },
    async forget() {
      generation += 1;
      await cache.clear();
    },
  };
}
