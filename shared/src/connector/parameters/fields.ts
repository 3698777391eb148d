import { isObject, type JsonObject } from '../../json/json.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { given } from './text.ts';
import { millisOf } from './showValue.ts';

/**
 * Reads the fields of a collection, such as options or filters. Undefined for an empty value and for an empty array.
 * @throws ParameterError for anything else
 */
export function toFields(value: unknown, info: ParameterInfo): JsonObject | undefined {
  const cell = given(value);
  if (cell === undefined || (Array.isArray(cell) && cell.length === 0)) return undefined;
  if (hasFields(cell)) return cell;
  throw invalidParameter(value, info, 'a set of fields');
}

/**
 * The value of a resource locator; anything else is returned unchanged. Locators are marked with `__rl`. If the parameter
 * itself is one (`unmarked`), a `mode` is enough.
 */
export function locatedValue(value: unknown, { unmarked = false }: { unmarked?: boolean } = {}): unknown {
  if (!isObject(value) || !('value' in value)) return value;
  return value['__rl'] === true || (unmarked && 'mode' in value) ? value['value'] : value;
}

/** Whether a value is an object with fields, not an array or a date. */
function hasFields(value: unknown): value is JsonObject {
  return isObject(value) && millisOf(value) === undefined;
}
