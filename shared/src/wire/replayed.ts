import { readHeader, type WireHeaders } from './headers.ts';

/** Headers that services use to mark a replay; the API text doesn't name any ("Limits", 3). */
export const REPLAY_HEADERS = [
  'Idempotency-Replayed',
  'Idempotent-Replayed',
  'X-Idempotency-Replayed',
  'X-Idempotent-Replayed',
] as const;

/**
 * Whether a response is marked as the replay of an earlier one to the same Idempotency-Key. A response without the mark
 * may still be a replay.
 */
export function isReplayed(headers: WireHeaders): boolean {
  return REPLAY_HEADERS.some((name) => /^(true|1|yes)$/i.test(readHeader(headers, name)?.trim() ?? ''));
}
