import type { ZObject } from 'zapier-platform-core';

/** Runs, known by their toolbox. */
const runs = new WeakSet<ZObject>();

/** Notes that a run sent a request for a new code, without a Deduplication Key, that was not clearly refused. */
export function noteCreation(z: ZObject): void {
  runs.add(z);
}

/** Whether a run that fails may have made a code all the same: run again, it would make a second one. */
export function mayHaveCreated(z: ZObject): boolean {
  return runs.has(z);
}
