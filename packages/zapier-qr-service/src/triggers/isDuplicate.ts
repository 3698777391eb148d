import { randomUUID } from 'node:crypto';
import type { ZObject } from 'zapier-platform-core';
import { withTimeout, writeFirst } from '../client/cache.ts';

/** Time limit of Zapier's cache, in milliseconds: Zapier drops a delivery that takes 30 s. */
const CACHE_MS = 5_000;

/**
 * Whether an event was already delivered to this subscription. Remembers it if not, for a day: longer than any retry of
 * its delivery can still be verified. Best effort: Zapier's cache may forget or fail, and a lost delivery is worse than
 * a duplicate. The delivery ID is useless for this: it isn't signed, so anyone who captured a delivery could replay it
 * with a new one.
 */
export async function isDuplicate(z: ZObject, subscriptionId: string, eventId: string): Promise<boolean> {
  const own = randomUUID();
  try {
    const first = await withTimeout(writeFirst(z, `${subscriptionId}:event:${eventId}`, own), CACHE_MS);
    return first !== null && first !== own;
  } catch {
    z.console.log("Zapier's cache didn't respond, so a duplicate delivery may trigger the Zap.");
    return false;
  }
}
