import { QrServiceError } from '../errors/QrServiceError.ts';

/**
 * An id as one segment of a path.
 * @throws QrServiceError `invalid_input` for an id that is empty or would leave its place in the path
 */
export function pathSegment(id: string, what: string): string {
  const refuse = (why: string) =>
    new QrServiceError(`The ${what} ${why}. Use the id that the service gave.`, { code: 'invalid_input' });
  if (typeof id !== 'string' || id.trim() === '') throw refuse('is empty');
  // A URL parser resolves dot segments even when they are escaped.
  if (/^(\.|%2e){1,2}$/i.test(id)) throw refuse('is no id');
  if (id.length > 512 || !id.isWellFormed()) throw refuse('is no id');
  return encodeURIComponent(id);
}
