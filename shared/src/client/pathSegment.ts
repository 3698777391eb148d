import { invalidInput } from '../errors/QrServiceError.ts';

const MAX_ID_LENGTH = 512;

/**
 * Encodes an ID as one segment of a path.
 * @throws QrServiceError `invalid_input` if the ID is empty or would change the path
 */
export function pathSegment(id: string, what: string): string {
  if (typeof id !== 'string' || id.trim() === '') throw invalidId(`The ${what} is empty.`);
  // A URL parser resolves dot segments even when they are escaped.
  if (/^(\.|%2e){1,2}$/i.test(id)) throw invalidId(`Invalid ${what}.`);
  if (id.length > MAX_ID_LENGTH || !id.isWellFormed()) throw invalidId(`Invalid ${what}.`);
  return encodeURIComponent(id);
}

function invalidId(message: string) {
  return invalidInput(message, 'Use the ID that the service returned.');
}
