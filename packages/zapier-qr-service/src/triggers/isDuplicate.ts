import type { ZObject } from 'zapier-platform-core';
import { withTimeout } from '../client/withTimeout.ts';

/** How long an event is remembered, in seconds: longer than any retry of its delivery can still be verified. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Time limit of Zapier's cache, in milliseconds: Zapier drops a delivery that takes 30 s. */
const CACHE_MS = 5_000;

/**
 * Whether an event was already delivered to this subscription. Remembers it if not. Best effort: Zapier's cache may
 * forget or fail, and a lost delivery is worse than a duplicate. The delivery ID is useless for this: it isn't signed,
 * so anyone who captured a delivery could replay it with a new one.
 */
export async function isDuplicate(z: ZObject, subscriptionId: string, eventId: string): Promise<boolean> {
  try {
    return await withTimeout(remember(z, `${subscriptionId}:event:${eventId}`), CACHE_MS);
  } catch {
    z.console.log("Zapier's cache didn't respond, so a duplicate delivery may trigger the Zap.");
    return false;
  }
}

/** Returns whether the key was there before. */
async function remember(z: ZObject, key: string): Promise<boolean> {
  if ((await z.cache.get(key)) !== null) return true;
  // For an existing key, `set` is only documented to return a boolean, so only `false` counts.
  return (await z.cache.set(key, 1, MEMORY_SECONDS, undefined, true)) === false;
}
