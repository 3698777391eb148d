/** A check of one field: its problem, or undefined where it is fine. */
export type FieldCheck = (value: unknown) => string | undefined;

const MAX_URL_LENGTH = 2048;

/** Checks for a text of 1 to `most` characters that is not blank. */
export function isText(most: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string' || value.trim() === '') return 'must be a text';
    return value.length > most ? `must have at most ${most} characters` : undefined;
  };
}

/** Checks for one of these values. */
export function isOneOf(known: readonly unknown[]): FieldCheck {
  return (value) => (known.includes(value) ? undefined : `must be one of: ${known.join(', ')}`);
}

/** Checks for an absolute http or https URL. */
export const isAbsoluteUrl: FieldCheck = (value) => {
  if (
    typeof value !== 'string' ||
    value.length > MAX_URL_LENGTH ||
    !/^https?:\/\/\S+$/i.test(value) ||
    !URL.canParse(value)
  )
    return `must be an absolute URL with http or https, of at most ${MAX_URL_LENGTH} characters`;
  return undefined;
};

/** Checks for a list of which every entry passes the check. */
export function isListOf(check: FieldCheck): FieldCheck {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    const bad = value.findIndex((entry) => check(entry) !== undefined);
    return bad === -1 ? undefined : `must be a list in which each entry ${String(check(value[bad]))}`;
  };
}

/** Checks for a moment: ISO 8601, or milliseconds since the epoch. */
export const isDateTime: FieldCheck = (value) => {
  const isTime = typeof value === 'number' || typeof value === 'string' || value instanceof Date;
  if (isTime && !Number.isNaN(new Date(value).getTime())) return undefined;
  return 'must be a time, in ISO 8601 or in milliseconds since the epoch';
};

/** Checks for a whole number. */
export function isInteger(least: number, most: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`;
}

/** Checks for true or false. */
export const isBoolean: FieldCheck = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

/** Checks for any object. */
export const isObject: FieldCheck = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';

/** Passes null, and what passes the check. */
export function nullable(check: FieldCheck): FieldCheck {
  return (value) => (value === null ? undefined : check(value));
}
