import type { ZObject } from 'zapier-platform-core';

/** Time limit for most uses, in milliseconds: Zapier drops a delivery that takes 30 s. */
export const CACHE_MS = 5_000;
/** How long Zapier's cache keeps a value, in seconds. */
const KEPT_SECONDS = 24 * 60 * 60;
/** Each connection has its own part of the cache: otherwise all customers of the app would share one. */
const SCOPE = ['auth'];

/** The methods as they are: their types lack the scope. */
type Lookup = (key: string, scope: string[]) => Promise<unknown>;

/** Reads a value from Zapier's cache; null if there is none. Zapier may forget any value. */
export function readCache({ cache }: ZObject, key: string): Promise<unknown> {
  return (cache.get as Lookup)(key, SCOPE);
}

/** Stores a value for a day, in place of any other. */
export async function writeCache({ cache }: ZObject, key: string, value: unknown): Promise<void> {
  await cache.set(key, value, KEPT_SECONDS, SCOPE);
}

/**
 * Stores a value for a day, unless the key has one. Returns the key's value, which shows whose it is if each caller's
 * value is unique: what `set` returns for a key that exists isn't documented.
 */
export async function writeFirst(z: ZObject, key: string, value: unknown): Promise<unknown> {
  const before = await readCache(z, key);
  if (before !== null) return before;
  await z.cache.set(key, value, KEPT_SECONDS, SCOPE, true);
  return readCache(z, key);
}

/**
 * Removes a value. Returns whether there was one, as Zapier's tests of `delete` say: of several callers at once, only one
 * gets true. Its server isn't public, so nothing is surer.
 */
export async function dropCache({ cache }: ZObject, key: string): Promise<boolean> {
  return (await (cache.delete as Lookup)(key, SCOPE)) === true;
}

/** Waits for a result, for at most `ms` milliseconds, and then rejects. The timer doesn't keep the process alive. */
export function withTimeout<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const timedOut = new Promise<never>((_resolve, reject) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => reject(new Error(`Timed out after ${ms} ms.`)));
  });
  return Promise.race([work, timedOut]);
}
