import { readHeader, type WireHeaders } from './headers.ts';

/** Headers that mark a replayed response (API text, "Limits", 3). */
const REPLAY_HEADERS = [
  'Idempotency-Replayed',
  'Idempotent-Replayed',
  'X-Idempotency-Replayed',
  'X-Idempotent-Replayed',
];

/**
 * The header that marks a response as the replay of an earlier one to the same Idempotency-Key. A response without the
 * mark may still be a replay.
 */
export function replayMark(headers: WireHeaders): string | undefined {
  return REPLAY_HEADERS.find((name) => /^(true|1|yes)$/i.test(readHeader(headers, name) ?? ''));
}
