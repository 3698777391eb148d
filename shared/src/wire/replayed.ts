import { readHeader, type WireHeaders } from './headers.ts';

/** Headers by which services mark a replay. The API text shows none ("Limits", 3). */
const MARKS = [
  'Idempotency-Replayed',
  'Idempotent-Replayed',
  'X-Idempotency-Replayed',
  'X-Idempotent-Replayed',
] as const;

/** Whether a response is marked as the replay of an earlier one to the same Idempotency-Key. */
export function isReplayed(headers: WireHeaders): boolean {
  return MARKS.some((name) => /^(true|1|yes)$/i.test(readHeader(headers, name)?.trim() ?? ''));
}
