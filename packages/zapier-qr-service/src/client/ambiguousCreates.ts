import type { ZObject } from 'zapier-platform-core';

/** Runs whose creation of a code may have succeeded although they failed. Zapier gives each run its own `z`. */
const ambiguousCreates = new WeakSet<ZObject>();

/** Notes that a run sent a creation without a Deduplication Key that wasn't clearly rejected. */
export function noteCreation(z: ZObject): void {
  ambiguousCreates.add(z);
}

/** Whether a run that fails may have created a code: run again, it would create a duplicate. */
export function mayHaveCreated(z: ZObject): boolean {
  return ambiguousCreates.has(z);
}
