import type { RefusedKeys } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { withTimeout } from './withTimeout.ts';

/** Runs whose cache timed out or failed. Each run has its own `z`. */
const withoutCache = new WeakSet<ZObject>();

/** How long the service replays a response, in seconds. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Time limit of Zapier's cache, in milliseconds: the run has 30 s for everything. */
const CACHE_MS = 2_000;

/**
 * Shares refusals, and what was executed after them, with other processes through Zapier's cache. Best effort: the
 * cache may forget or fail. After it has timed out or failed once, the run doesn't use it again.
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
