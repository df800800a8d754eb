import type { CacheStore } from '@whiskeysockets/baileys';
import Keyv from 'keyv';
import QuickLRU from 'quick-lru';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;

/** Caches of Baileys that outlive a socket. Without them, each new socket would repeat queries and restart counts. */
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

/** Evicts the least recently used entries beyond `maxSize`, and all entries after `ttl` milliseconds. */
export function boundedCache<Value>(maxSize: number, ttl: number): Keyv<Value> {
  return new Keyv<Value>({ store: new QuickLRU({ maxSize }), ttl, serialization: false });
}

function cacheStore(cache: Keyv<unknown>): CacheStore {
  return {
    // Baileys reads only what it has set. Its type does not mention `undefined`.
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
