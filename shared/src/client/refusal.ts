import { isApiError, type ApiError } from '../errors/ApiError.ts';
import { isOwnError } from '../errors/isOwnError.ts';

/**
 * Whether the service itself refused a request because of its content, so nothing was created. A 409 that isn't about
 * the key may be temporary, for example if a name is taken: it counts as a refusal only once it is replayed.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || !isOwnError(error, error.status)) return false;
  // The service turns a key away before it processes the request.
  if (error.status === 401 || error.status >= 500) return false;
  return error.status !== 409 || (error.replayed === true && error.code !== 'idempotency_conflict');
}
