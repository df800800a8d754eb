import type { CacheStore } from '@whiskeysockets/baileys';
import Keyv from 'keyv';
import QuickLRU from 'quick-lru';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;

/** Baileys' caches, kept across sockets so that a new socket does not repeat queries or restart counts. */
export interface SocketCaches {
  readonly msgRetryCounterCache: CacheStore;
  readonly userDevicesCache: CacheStore;
  readonly placeholderResendCache: CacheStore;
}

export function socketCaches(): SocketCaches {
  return {
    msgRetryCounterCache: cacheStore(boundedCache(1_000, HOUR)),
    userDevicesCache: cacheStore(boundedCache(5_000, 5 * MINUTE)),
    placeholderResendCache: cacheStore(boundedCache(1_000, HOUR)),
  };
}

/** Evicts the least recently used entries beyond `maxSize`, and entries older than `ttl` milliseconds. */
export function boundedCache<Value>(maxSize: number, ttl: number): Keyv<Value> {
  return new Keyv<Value>({ store: new QuickLRU({ maxSize }), ttl, serialization: false });
}

function cacheStore(cache: Keyv<unknown>): CacheStore {
  return {
    get: <Value>(key: string) => cache.get(key) as Promise<Value>,
    async set(key, value) {
      await cache.set(key, value);
    },
    async del(key) {
      await cache.delete(key);
    },
    flushAll: () => cache.clear(),
  };
}
