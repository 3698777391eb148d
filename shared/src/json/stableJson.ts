import { isObject } from './values.ts';

/** JSON.stringify runs out of stack on a value nested deeper than any that is meant. */
const DEEPEST = 100;

/** JSON with the keys of every object in order, so that equal values give equal text. */
export function stableJson(value: object): string {
  return JSON.stringify(inOrder(value, DEEPEST));
}

/** A copy with sorted keys; what is nested too deep is null. */
function inOrder(value: unknown, levels: number): unknown {
  if (Array.isArray(value)) return levels === 0 ? null : value.map((entry) => inOrder(entry, levels - 1));
  if (!isObject(value) || typeof value['toJSON'] === 'function') return value;
  if (levels === 0) return null;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inside]) => [key, inOrder(inside, levels - 1)]));
}
