import { isObject } from '../wire/record.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';
import { millisOf } from './dates.ts';

/** Locators inside one another that are opened: an expression may put a whole one into another's value. */
const MOST_LOCATORS = 5;

/**
 * The fields of a collection, such as options or filters. Undefined for an empty value, an empty array among it.
 * @throws ParameterError for anything else
 */
export function toFields(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value) || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isObject(value) || millisOf(value) !== undefined)
    throw invalidParameter(value, info, 'a set of fields');
  return value;
}

/**
 * A JSON object: as it is, or from its text. Undefined for an empty value.
 * @throws ParameterError for anything else
 */
export function toJsonObject(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value)) return undefined;
  const given = typeof value === 'string' ? parse(value) : value;
  if (isObject(given) && millisOf(given) === undefined) return given;
  throw invalidParameter(
    value,
    info,
    'a JSON object',
    'Give it like {"targetUrl": "https://example.com"}, with the fields of its content type.',
  );
}

/** The value that a resource locator holds, of one inside another too; anything else as it is. */
export function locatedValue(value: unknown): unknown {
  let located = value;
  for (let opened = 0; opened < MOST_LOCATORS && isLocator(located); opened++) located = located.value;
  return located;
}

function isLocator(value: unknown): value is { value: unknown } {
  return isObject(value) && 'value' in value && ('__rl' in value || 'mode' in value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
