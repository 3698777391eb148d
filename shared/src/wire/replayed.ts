import { readHeader, type WireHeaders } from './headers.ts';

/** Names in use for the header by which a service marks a replay; the API text names none ("Limits", 3). */
const MARKS = [
  'Idempotency-Replayed',
  'Idempotent-Replayed',
  'X-Idempotency-Replayed',
  'X-Idempotent-Replayed',
] as const;

/**
 * Whether a response says that it replays an earlier one to the same Idempotency-Key. One that does not say so may
 * be a replay all the same.
 */
export function isReplayed(headers: WireHeaders): boolean {
  return MARKS.some((name) => /^(true|1|yes)$/i.test(readHeader(headers, name)?.trim() ?? ''));
}
