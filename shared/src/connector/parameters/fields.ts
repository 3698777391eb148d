import { isObject } from '../../json/values.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { attempt } from './attempt.ts';
import { isEmpty } from './text.ts';
import { millisOf } from './dates.ts';

/** Locators inside one another that are opened: an expression may put a whole one into another's value. */
const MOST_LOCATORS = 5;

/**
 * The fields of a collection, such as options or filters. Undefined for an empty value, an empty array among it.
 * @throws ParameterError for anything else
 */
export function toFields(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value) || attempt(() => Array.isArray(value) && value.length === 0) === true) return undefined;
  if (isRecord(value)) return value;
  throw invalidParameter(value, info, 'a set of fields');
}

/**
 * A JSON object: as it is, or from its text. Undefined for an empty value.
 * @throws ParameterError for anything else, and for one with something inside that JSON can't write, such as NaN
 */
export function toJsonObject(value: unknown, info: ParameterInfo): Record<string, unknown> | undefined {
  if (isEmpty(value)) return undefined;
  const given = typeof value === 'string' ? attempt((): unknown => JSON.parse(value)) : value;
  if (isRecord(given)) {
    if (isWritable(given)) return given;
    throw invalidParameter(
      value,
      info,
      'a JSON object that JSON can write',
      'Take out NaN, Infinity, invalid dates and references to itself.',
    );
  }
  throw invalidParameter(
    value,
    info,
    'a JSON object',
    'Give it like {"targetUrl": "https://example.com"}, with the fields of its content type.',
  );
}

/**
 * The value that a resource locator holds, of one inside another too; anything else as it is. n8n marks locators with
 * `__rl`. Inside one, and where the parameter itself is one (`unmarked`), those without the mark are opened as well if
 * they have a mode.
 */
export function locatedValue(value: unknown, { unmarked = false }: { unmarked?: boolean } = {}): unknown {
  let located = value;
  for (let opened = 0; opened < MOST_LOCATORS; opened++) {
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

/** Whether a value is an object with fields: no array, no date. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return attempt(() => isObject(value) && millisOf(value) === undefined) === true;
}

/** Whether JSON can write a value as it is: it makes null of NaN, Infinity and invalid dates. */
function isWritable(value: object): boolean {
  const isFaithful = (original: unknown): boolean =>
    typeof original === 'number'
      ? Number.isFinite(original)
      : typeof original !== 'object' || original === null || millisOf(original) !== null;
  const text = attempt(() =>
    JSON.stringify(value, function (this: Record<string, unknown>, key, written: unknown) {
      if (!isFaithful(this[key]) || !isFaithful(written)) throw new TypeError(key);
      return written;
    }),
  );
  return text !== undefined;
}
