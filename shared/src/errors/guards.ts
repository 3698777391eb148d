import type { ApiError } from './ApiError.ts';
import { CORE_ERROR, type QrServiceError } from './QrServiceError.ts';
import type { TransportError } from './TransportError.ts';
import type { WebhookVerificationError } from './WebhookVerificationError.ts';

/** Whether a thrown value is any error of the core, from this copy or another. */
export function isQrServiceError(error: unknown): error is QrServiceError {
  return error instanceof Error && CORE_ERROR in error;
}

/** Whether a thrown value is an `ApiError`, from this copy of the core or another. */
export function isApiError(error: unknown): error is ApiError {
  return isQrServiceError(error) && error.name === 'ApiError';
}

/** Whether a thrown value is a `TransportError`, from this copy of the core or another. */
export function isTransportError(error: unknown): error is TransportError {
  return isQrServiceError(error) && error.name === 'TransportError';
}

/** Whether a thrown value is a `WebhookVerificationError`, from this copy of the core or another. */
export function isWebhookVerificationError(error: unknown): error is WebhookVerificationError {
  return isQrServiceError(error) && error.name === 'WebhookVerificationError';
}

/** Whether the service itself responded with one of these statuses: its errors have a `code` (docs/api.md#errors). */
export function isOwnError(error: unknown, ...statuses: number[]): boolean {
  return isApiError(error) && error.intermediary === undefined && statuses.includes(error.status);
}

/** Whether the service itself says that a record doesn't exist. Of a new one, that proves nothing: reads may be late. */
export function isProvenAbsent(error: unknown): boolean {
  return isOwnError(error, 404, 410);
}

/** Whether an error means that the service is down: no response, or a 5xx that may be temporary. */
export function isServiceUnavailable(error: unknown): boolean {
  if (isApiError(error)) return error.status >= 500 && error.retryable;
  return isTransportError(error) && (error.code === 'network' || error.code === 'timeout');
}

/** Whether the service itself refused a write because of its content: a 401 is about the key, a 409 may be temporary. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || !isOwnError(error, error.status)) return false;
  return error.status < 500 && error.status !== 401 && error.status !== 409;
}
