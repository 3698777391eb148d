import { QrServiceError } from '../errors/QrServiceError.ts';
import { showText } from '../errors/sentences.ts';
import { isObject } from '../json/json.ts';

/**
 * The error for a response that can't be read. It says what was found, and prevents treating the response as an empty
 * result.
 * @param expected with its article
 */
export function unreadableResponse(expected: string, body: unknown): QrServiceError {
  return new QrServiceError(`Unexpected response: expected ${expected}.`, {
    code: 'unreadable_response',
    detail: `Got ${describeShape(body)}.`,
  });
}

/** Describes a value by its keys or its type, never by its contents, which may be secret. */
export function describeShape(value: unknown): string {
  if (value === undefined || value === '') return 'an empty body';
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value).join(', ');
  return keys === '' ? 'an empty object' : `the keys ${showText(keys)}`;
}
