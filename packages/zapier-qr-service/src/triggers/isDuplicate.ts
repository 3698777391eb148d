import type { ZObject } from 'zapier-platform-core';
import { withTimeout } from '../client/withTimeout.ts';

/** Seconds that an event is remembered: longer than any retry of its delivery stays fresh enough to be verified. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Milliseconds that Zapier's cache may take: Zapier drops a delivery that takes 30 s. */
const CACHE_MS = 5_000;

/**
 * Whether an event was already delivered to this subscription; remembers it. Best effort: Zapier's cache may forget or
 * fail, and a lost delivery is worse than a duplicate. The delivery id can't be used: it isn't signed, so anyone who
 * captured a delivery could replay it under a new one.
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
  // What `set` returns for an existing key is documented only as a boolean: nothing but false counts.
  return (await z.cache.set(key, 1, MEMORY_SECONDS, undefined, true)) === false;
}
