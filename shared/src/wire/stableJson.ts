import { isObject } from './record.ts';

/** JSON with the keys of every object in order, so that equal values give equal text. */
export function stableJson(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
