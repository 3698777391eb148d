import { isObject } from './values.ts';

/** JSON.stringify overflows the stack on very deep values; real ones are far shallower. */
const MAX_LEVELS = 100;

/** Serializes a value with sorted keys, so that equal values result in equal text. */
export function stableJson(value: object): string {
  return JSON.stringify(withSortedKeys(value, MAX_LEVELS));
}

/** Copies a value with sorted keys. Values nested too deeply become null. */
function withSortedKeys(value: unknown, levels: number): unknown {
  if (Array.isArray(value))
    return levels === 0 ? null : value.map((entry) => withSortedKeys(entry, levels - 1));
  if (!isObject(value) || typeof value['toJSON'] === 'function') return value;
  if (levels === 0) return null;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inside]) => [key, withSortedKeys(inside, levels - 1)]));
}
