import { isApiError } from './ApiError.ts';

/**
 * Whether the service itself responded with one of these statuses: its errors state a code (API text, "Errors"). Any other
 * response, whoever sent it, says nothing about the key or the record.
 */
export function isOwnError(error: unknown, ...statuses: number[]): boolean {
  return isApiError(error) && error.intermediary === undefined && statuses.includes(error.status);
}
