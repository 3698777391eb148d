import type { RefusedKeys } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { inTime } from './inTime.ts';

/** Seconds for which the service replays a refusal. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Milliseconds that Zapier's cache may take: the run has 30 s for everything. */
const CACHE_MS = 2_000;

/** Remembers refusals in Zapier's cache, for runs in other processes. Best effort: it may forget or fail. */
export function refusedKeys(z: ZObject): RefusedKeys {
  return {
    get: async (key) => {
      const refusal: unknown = await inTime(z.cache.get(cacheKey(key)), CACHE_MS);
      return typeof refusal === 'string' ? refusal : undefined;
    },
    set: async (key, refusal) => {
      await inTime(z.cache.set(cacheKey(key), refusal, MEMORY_SECONDS), CACHE_MS);
    },
  };
}

function cacheKey(key: string): string {
  return `refused:${key}`;
}
