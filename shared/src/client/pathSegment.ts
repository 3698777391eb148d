import { invalidInput } from '../errors/invalidInput.ts';

const MAX_ID_LENGTH = 512;

/**
 * An id as one segment of a path.
 * @throws QrServiceError `invalid_input` for an id that is empty or would leave its place in the path
 */
export function pathSegment(id: string, what: string): string {
  if (typeof id !== 'string' || id.trim() === '') throw invalidId(what, 'is empty');
  // A URL parser resolves dot segments even when they are escaped.
  if (/^(\.|%2e){1,2}$/i.test(id)) throw invalidId(what, 'is no id');
  if (id.length > MAX_ID_LENGTH || !id.isWellFormed()) throw invalidId(what, 'is no id');
  return encodeURIComponent(id);
}

function invalidId(what: string, problem: string) {
  return invalidInput(`The ${what} ${problem}. Use the id that the service returned.`);
}
