import { isApiError, type ApiError } from '../errors/ApiError.ts';

/**
 * Whether the service itself refused a request because of its content, so nothing was created. A 409 that isn't about
 * the key may be temporary, for example if a name is taken: it counts as a refusal only once it is replayed.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || isTurnedAway(error)) return false;
  if (error.status === 409) return error.replayed === true && error.code !== 'idempotency_conflict';
  return error.status >= 400 && error.status < 500;
}

/** Whether a request failed before the service processed it: at authentication, the rate limit or a proxy. */
function isTurnedAway(error: unknown): boolean {
  if (!isApiError(error) || error.status >= 500) return false;
  return error.status === 401 || error.status === 429 || error.intermediary !== undefined;
}
