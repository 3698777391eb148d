import { attempt } from './attempt.ts';

/** A luxon `DateTime`, recognized by its methods. */
interface LuxonDateTime {
  isValid: boolean;
  toMillis(): number;
}

/**
 * The time of a `Date` or a luxon `DateTime`, in milliseconds since the epoch; null for an invalid one, undefined for
 * anything else.
 */
export function millisOf(value: object): number | null | undefined {
  const millis = attempt(() =>
    isDate(value) ? value.getTime() : isDateTime(value) ? value.toMillis() : undefined,
  );
  if (millis === undefined) return undefined;
  return Number.isNaN(new Date(millis).getTime()) ? null : millis;
}

// Not `instanceof`: a date may come from another realm.
function isDate(value: object): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}

function isDateTime(value: object): value is LuxonDateTime {
  return 'isValid' in value && 'toMillis' in value && typeof value.toMillis === 'function';
}
