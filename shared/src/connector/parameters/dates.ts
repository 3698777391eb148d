import { attempt } from './attempt.ts';

/**
 * The time of a `Date` or a luxon `DateTime`, in milliseconds since the epoch; null for an invalid one, undefined for
 * anything else.
 */
export function millisOf(value: unknown): number | null | undefined {
  // Anything without the method throws.
  const millis = attempt(() =>
    isDate(value) ? value.getTime() : (value as { toMillis(): number }).toMillis(),
  );
  if (millis === undefined) return undefined;
  return Number.isNaN(new Date(millis).getTime()) ? null : millis;
}

// Not `instanceof`: a date may come from another realm.
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}
