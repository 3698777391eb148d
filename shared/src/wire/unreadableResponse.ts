import { showText } from '../errors/sentences.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { isObject, type JsonObject } from '../json/json.ts';

const MAX_KEYS = 12;
const MAX_KEY_LENGTH = 40;

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
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) {
    const keys = firstKeys(value).map((key) => {
      const inside = value[key];
      const names = isObject(inside) ? firstKeys(inside) : [];
      return names.length === 0
        ? showText(key, MAX_KEY_LENGTH)
        : `${showText(key, MAX_KEY_LENGTH)} (${names.map((name) => showText(name, MAX_KEY_LENGTH)).join(', ')})`;
    });
    return keys.length === 0 ? 'an empty object' : `the keys ${keys.join(', ')}`;
  }
  if (value === undefined || value === '') return 'an empty body';
  return value === null ? 'null' : `a ${typeof value}`;
}

function firstKeys(value: JsonObject): string[] {
  return Object.keys(value).slice(0, MAX_KEYS);
}
