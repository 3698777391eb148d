import { isObject } from './values.ts';

/** Serializes a value with sorted keys, so that equal values result in equal text. */
export function stableJson(value: object): string {
  return JSON.stringify(value, (_key, inside: unknown) =>
    isObject(inside)
      ? Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inside,
  );
}
