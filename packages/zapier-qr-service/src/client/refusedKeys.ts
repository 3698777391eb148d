import type { RefusedKeys } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { withTimeout } from './withTimeout.ts';

/** Runs whose cache timed out or failed. Each run has its own `z`. */
const withoutCache = new WeakSet<ZObject>();

/** Seconds for which the service replays a response. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Milliseconds that Zapier's cache may take: the run has 30 s for everything. */
const CACHE_MS = 2_000;

/**
 * Remembers refusals, and what acted after them, in Zapier's cache, for runs in other processes. Best effort: the cache
 * may forget or fail. Once it timed out or failed, the run does without it.
 */
export function refusedKeys(z: ZObject): RefusedKeys {
  const useCache = async <Value>(call: () => Promise<Value>): Promise<Value | undefined> => {
    if (withoutCache.has(z)) return undefined;
    try {
      return await withTimeout(call(), CACHE_MS);
    } catch {
      withoutCache.add(z);
      return undefined;
    }
  };
  return {
    get: async (key) => {
      const note: unknown = await useCache(() => z.cache.get(cacheKey(key)));
      return typeof note === 'string' ? note : undefined;
    },
    set: async (key, note) => {
      await useCache(() => z.cache.set(cacheKey(key), note, MEMORY_SECONDS));
    },
  };
}

function cacheKey(key: string): string {
  return `refused:${key}`;
}
