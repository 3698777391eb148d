import { isObject } from '../../json/json.ts';

/**
 * The time of a `Date` or a luxon `DateTime`, in milliseconds since the epoch; NaN for an invalid one, undefined for
 * anything else.
 */
export function millisOf(value: unknown): number | undefined {
  if (!isObject(value)) return undefined;
  // Not `instanceof`: a date may come from another realm.
  if (Object.prototype.toString.call(value) === '[object Date]') return Number(value);
  const { toMillis } = value;
  return typeof toMillis === 'function' ? Number(toMillis.call(value)) : undefined;
}
