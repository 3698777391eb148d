import { setTimeout as delay } from 'node:timers/promises';
import type { ZObject } from 'zapier-platform-core';

/** Seconds that a delivery is remembered: longer than any retry of it stays fresh enough to be verified. */
const MEMORY_SECONDS = 24 * 60 * 60;
/** Milliseconds that Zapier's cache may take: a delivery must not be lost to Zapier's 30 s. */
const CACHE_MS = 5_000;

/**
 * Whether an event came to this subscription before; remembers it. Best effort: Zapier's cache may forget or
 * fail, and a delivery lost is worse than one doubled. The id of the delivery says nothing: it is not signed, and
 * who has captured a delivery could send it again under any other.
 */
export async function isRepeated(z: ZObject, subscriptionId: string, eventId: string): Promise<boolean> {
  try {
    return await inTime(remember(z, `${subscriptionId}:event:${eventId}`));
  } catch {
    z.console.log("Zapier's cache did not answer, so a repeated delivery may come through.");
    return false;
  }
}

/** Gives whether the key was there before. */
async function remember(z: ZObject, key: string): Promise<boolean> {
  if ((await z.cache.get(key)) !== null) return true;
  // What `set` says of a key that exists is not documented beyond a boolean: only a clear false counts.
  return (await z.cache.set(key, 1, MEMORY_SECONDS, undefined, true)) === false;
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const timer = new AbortController();
  const late = delay(CACHE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error('too late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
