import type { ZObject } from 'zapier-platform-core';

/**
 * What creates a duplicate of the code that a failed run may have created: any rerun, or with a Deduplication Key one with
 * another API key, for which the service may not know it.
 */
export type UnsafeRerun = 'any' | 'withAnotherApiKey';

/** Runs whose creation of a code may have succeeded although they failed. Each run has its own `z`. */
const ambiguousCreates = new WeakMap<ZObject, UnsafeRerun>();

/** Notes that a run sent a creation that wasn't clearly rejected. */
export function noteCreation(z: ZObject, unsafe: UnsafeRerun): void {
  ambiguousCreates.set(z, unsafe);
}

/** Which reruns of a failed run may create a duplicate; undefined where it can't have created a code. */
export function unsafeRerun(z: ZObject): UnsafeRerun | undefined {
  return ambiguousCreates.get(z);
}
