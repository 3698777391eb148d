/** Checks a value. Returns the problem, or undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

const MAX_URL_LENGTH = 2048;

/** Checks for a string of 1 to `max` characters that isn't blank. */
export function isText(max: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string' || value.trim() === '') return 'must be a string that is not blank';
    return value.length > max ? `must have at most ${max} characters` : undefined;
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

/** Checks for an array in which every entry passes the check. */
export function isListOf(check: FieldCheck): FieldCheck {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    const bad = value.findIndex((entry) => check(entry) !== undefined);
    return bad === -1 ? undefined : `must be a list in which each entry ${String(check(value[bad]))}`;
  };
}

/** Checks for a time: ISO 8601, milliseconds since the epoch or a Date. */
export const isDateTime: FieldCheck = (value) => {
  const isTime = typeof value === 'number' || typeof value === 'string' || value instanceof Date;
  if (isTime && !Number.isNaN(new Date(value).getTime())) return undefined;
  return 'must be a time, in ISO 8601 or in milliseconds since the epoch';
};

/** Checks for a whole number. */
export function isInteger(min: number, max: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

/** Accepts everything. For fields that are checked elsewhere. */
export const isAny: FieldCheck = () => undefined;

/** Checks for a path of the API, such as `/qr/*`. */
export const isPath: FieldCheck = (value) =>
  typeof value === 'string' && /^\/\S*$/.test(value) ? undefined : 'must be a path that begins with a slash';

/** Checks for true or false. */
export const isBoolean: FieldCheck = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

/** Checks for any object. */
export const isObject: FieldCheck = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';

/** Accepts null and any value that passes the check. */
export function nullable(check: FieldCheck): FieldCheck {
  return (value) => (value === null ? undefined : check(value));
}
