/**
 * Remembers across processes which Idempotency-Keys were refused, and under which keys the write was then executed. It
 * receives hashes, never keys. Storing them for a day is enough. Best effort: if it forgets or throws, a replayed
 * refusal counts as new, and a key counts as unused once the service has forgotten its refusal.
 */
export interface RefusedKeys {
  /** The note that `set` stored last for a key. Each write reads it once before its first request. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Stores what happened to a key, as 8 hexadecimal digits. Replaces the previous note. */
  set(key: string, note: string): void | Promise<void>;
}

// A note has 32 bits. The first distinguishes an execution from a refusal. For an execution, the next 5 are its step
// and the rest is the minute.
const IS_EXECUTION = 2 ** 31;
const MINUTES = 2 ** 26;
const MINUTE_MS = 60_000;

/** The note for a write that was executed under a step of its key sequence. */
export function executionNote(step: number, now: number): string {
  return (IS_EXECUTION + step * MINUTES + Math.ceil(now / MINUTE_MS)).toString(16);
}

/** The step under which a write was executed and when, in milliseconds since the epoch; undefined for any other note. */
export function readExecution(note: string | undefined): { step: number; at: number } | undefined {
  if (note === undefined || !isExecution(note)) return undefined;
  const bits = parseInt(note, 16) - IS_EXECUTION;
  return { step: Math.floor(bits / MINUTES), at: (bits % MINUTES) * MINUTE_MS };
}

/** The refusal that a note stands for; undefined for any other note. */
export function readRefusal(note: string | undefined): string | undefined {
  return note === undefined || isExecution(note) ? undefined : note;
}

function isExecution(note: string): boolean {
  return /^[89a-f][0-9a-f]{7}$/.test(note);
}
