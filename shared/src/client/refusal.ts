import { isApiError, type ApiError } from '../errors/ApiError.ts';

/**
 * Whether the service itself refused a request because of its content: then nothing was created. A 409 other than those about
 * the key, such as a name that is taken, may come and go: it is a refusal only once it is replayed.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || isTurnedAway(error)) return false;
  if (error.status === 409) return error.replayed === true && error.code !== 'idempotency_conflict';
  return error.status >= 400 && error.status < 500;
}

/** Whether a request failed before the service looked at it: at authentication, the rate limit or a proxy. */
export function isTurnedAway(error: unknown): boolean {
  if (!isApiError(error) || error.status >= 500) return false;
  return error.status === 401 || error.status === 429 || error.intermediary !== undefined;
}

/** What to do about a refusal under the user's own deduplication key if the service only replays it. */
export const REFUSED_KEY_ADVICE =
  'If you have fixed the cause and it still fails, use another Deduplication Key.';
