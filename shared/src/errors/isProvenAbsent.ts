import { isOwnError } from './isOwnError.ts';

/**
 * Whether an error proves that a record doesn't exist: the service itself responded so (API text, "Errors", 404). That
 * proves nothing about a record that was created, or may have been, in the last minutes: reads may be late.
 */
export function isProvenAbsent(error: unknown): boolean {
  return isOwnError(error, 404, 410);
}
