import type { ZObject } from 'zapier-platform-core';

/** Runs whose creation of a code may have succeeded although they failed. Each run has its own `z`. */
const ambiguousCreates = new WeakSet<ZObject>();

/** Notes that a run sent a creation without a Deduplication Key that wasn't clearly rejected. */
export function noteCreation(z: ZObject): void {
  ambiguousCreates.add(z);
}

/** Whether a failed run may have created a code: a rerun would create a duplicate. */
export function mayHaveCreated(z: ZObject): boolean {
  return ambiguousCreates.has(z);
}
