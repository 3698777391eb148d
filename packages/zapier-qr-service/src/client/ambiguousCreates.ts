import type { ZObject } from 'zapier-platform-core';

/**
 * Which reruns may duplicate the code that a failed run may have created: any rerun; with a Deduplication Key, only one
 * with another API key, as the service may not know the key there; none if each run looks for the code first.
 */
export type UnsafeRerun = 'any' | 'withAnotherApiKey' | 'none';

/** Runs that may have created a code although they failed. Each run has its own `z`. */
const ambiguousCreates = new WeakMap<ZObject, UnsafeRerun>();

/** Records that a run sent a creation that wasn't clearly rejected. */
export function noteCreation(z: ZObject, unsafe: UnsafeRerun): void {
  if (unsafe !== 'none') ambiguousCreates.set(z, unsafe);
}

/** Which reruns of a failed run may create a duplicate; undefined if it can't have created a code. */
export function unsafeRerun(z: ZObject): UnsafeRerun | undefined {
  return ambiguousCreates.get(z);
}
