import { isApiError } from './ApiError.ts';

/**
 * Whether an error proves that a record doesn't exist: the service itself responded so (API text, "Errors", 404). A proxy's
 * page, or a body that was too large or damaged to be read, proves nothing. Nor does any response about a record that was
 * created, or may have been, in the last minutes: reads may be late.
 */
export function isProvenAbsent(error: unknown): boolean {
  return isApiError(error) && error.intermediary === undefined && [404, 410].includes(error.status);
}
