import { isObject } from '../../json/values.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { attempt } from './attempt.ts';
import { isEmpty } from './text.ts';
import { millisOf } from './dates.ts';

/** Maximum nesting of resource locators: an expression may put a whole one into another's value. */
const MAX_LOCATORS = 5;

/**
 * Reads the fields of a collection, such as options or filters. Undefined for an empty value and for an empty array.
 * @throws ParameterError for anything else
 */
export function toFields(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value) || attempt(() => Array.isArray(value) && value.length === 0) === true) return undefined;
  if (isRecord(value)) return value;
  throw invalidParameter(value, info, 'a set of fields');
}

/**
 * Reads a JSON object, or its text. Undefined for an empty value.
 * @throws ParameterError for anything else, and for an object with a value that JSON can't represent, such as NaN
 */
export function toJsonObject(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value)) return undefined;
  const parsed = typeof value === 'string' ? attempt((): unknown => JSON.parse(value)) : value;
  if (isRecord(parsed)) {
    if (isWritable(parsed)) return parsed;
    throw invalidParameter(
      value,
      info,
      'a JSON object with only values that JSON supports',
      'Remove NaN, Infinity, invalid dates and circular references.',
    );
  }
  throw invalidParameter(
    value,
    info,
    'a JSON object',
    'Enter it like {"targetUrl": "https://example.com"}, with the fields of its content type.',
  );
}

/**
 * The value of a resource locator, including nested ones. Anything else is returned unchanged. Locators are marked with
 * `__rl`. Inside another locator, or if the parameter itself is one (`unmarked`), a `mode` is enough.
 */
export function locatedValue(value: unknown, { unmarked = false }: { unmarked?: boolean } = {}): unknown {
  let located = value;
  for (let opened = 0; opened < MAX_LOCATORS; opened++) {
    const locator = located;
    const inside = attempt(() =>
      isLocator(locator, unmarked || opened > 0) ? { value: locator.value } : undefined,
    );
    if (inside === undefined) break;
    located = inside.value;
  }
  return located;
}

function isLocator(value: unknown, unmarked: boolean): value is { value: unknown } {
  return isRecord(value) && 'value' in value && (value['__rl'] === true || (unmarked && 'mode' in value));
}

/** Whether a value is an object with fields, not an array or a date. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return attempt(() => isObject(value) && millisOf(value) === undefined) === true;
}

/** Whether JSON can represent a value unchanged: it turns NaN, Infinity and invalid dates into null. */
function isWritable(value: object): boolean {
  const isFaithful = (original: unknown): boolean =>
    typeof original === 'number' ? Number.isFinite(original) : millisOf(original) !== null;
  const text = attempt(() =>
    JSON.stringify(value, function (this: Record<string, unknown>, key, written: unknown) {
      if (!isFaithful(this[key]) || !isFaithful(written)) throw new TypeError(key);
      return written;
    }),
  );
  return text !== undefined;
}
